"""The global search: scan a grid, follow several starts, and the best of them to the end.

Starts are followed by Levenberg-Marquardt on the variable projection functional, in batch. Only the
nonlinear parameters move; the linear ones are solved exactly at each step (Golub and Pereyra 1973,
with Kaufman's 1975 Jacobian, whose gradient is exact). Arrays have one curve per row; `weight` is 0
where a row holds no anchor, and sums to 1 per row.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from scipy.ndimage import minimum_filter

from analysis.fitting.registry import CurveModel

ROUNDING = 1e-26  # a shape, which is about 1, varies by less when rounding is all there is
EXACT = 1e-26  # squared error, relative to the curve's square, that is rounding
LEAST_SLOPE = 1e-30  # stands for a vanishing slope whose logarithm is a parameter


def row_dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the dot product of each pair of rows, shape (..., 1)."""
    return np.einsum("...m,...m->...", left, right)[..., None]


def slope_of(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide, taking 0 where the shape does not vary."""
    return np.divide(numerator, denominator, where=denominator > ROUNDING,
                     out=np.zeros_like(numerator))


def limit_slope(slope: np.ndarray, model: CurveModel) -> np.ndarray:
    """Bring `slope` to the nearest one that the model's formula can express."""
    if model.slope == "positive":
        return np.maximum(slope, LEAST_SLOPE)
    if model.slope == "negative":
        return np.minimum(slope, -LEAST_SLOPE)
    return slope


def solve_linear(shape: np.ndarray, y: np.ndarray, weight: np.ndarray,
                 model: CurveModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the intercepts and slopes that minimise the weighted squared error.

    Parameters
    ----------
    shape, y, weight : ndarray, shape (..., n_anchors)
    model : CurveModel

    Returns
    -------
    alpha, beta : ndarray, shape (..., 1)
    """
    if not model.intercept:
        weighted = weight * shape
        slope = slope_of(row_dot(weighted, y), row_dot(weighted, shape))
        return np.zeros_like(slope), limit_slope(slope, model)
    mean_y, mean_shape = row_dot(weight, y), row_dot(weight, shape)
    if model.slope == "minus one":
        return mean_y + mean_shape, -np.ones_like(mean_y)
    centred = shape - mean_shape
    weighted = weight * centred
    slope = limit_slope(slope_of(row_dot(weighted, y), row_dot(weighted, centred)), model)
    return mean_y - slope * mean_shape, slope


def without_intercept(rows: np.ndarray, root: np.ndarray, model: CurveModel) -> np.ndarray:
    """Return what of `rows` a free intercept cannot make up for.

    Parameters
    ----------
    rows, root : ndarray, shape (n_curves, n_anchors)
        Values times the root of the weights, and that root, whose squares sum to 1.
    model : CurveModel
    """
    return rows - root * row_dot(root, rows) if model.intercept else rows


def reduced_fit(shape: np.ndarray, y: np.ndarray,
                model: CurveModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the residuals and slopes of fits to rows that `without_intercept` has reduced."""
    if model.slope == "minus one":
        return y + shape, np.full((len(y), 1), -1.0)
    slope = limit_slope(slope_of(row_dot(shape, y), row_dot(shape, shape)), model)
    return y - slope * shape, slope


def without_slope(change: np.ndarray, shape: np.ndarray, model: CurveModel) -> np.ndarray:
    """Return what of reduced rows `change` a free slope along `shape` cannot make up for."""
    if model.slope == "minus one":
        return change
    return change - shape * slope_of(row_dot(shape, change), row_dot(shape, shape))


class Rows:
    """Arrays that have a curve in each row."""

    def take(self, rows: np.ndarray) -> Self:
        """Return some of the curves."""
        return type(self)(*(getattr(self, f.name)[rows] for f in fields(self)))


@dataclass(frozen=True)
class PackedCurves(Rows):
    """Curves in rows, their anchors packed to the left; and as the search sees them.

    Attributes
    ----------
    n, y, weight : ndarray, shape (n_curves, n_anchors)
        Training-set sizes, values, and weights that sum to 1 (0 where there is no anchor).
    first, last : ndarray, shape (n_curves, 1)
        Smallest and largest training-set size of each.
    root, reduced : ndarray, shape (n_curves, n_anchors)
        Roots of the weights; values times these, without the intercept.
    exact : ndarray, shape (n_curves,)
        The error below which a fit is exact but for rounding.
    """

    n: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    last: np.ndarray
    root: np.ndarray
    reduced: np.ndarray
    exact: np.ndarray

    def shape_at(self, theta: np.ndarray, model: CurveModel) -> np.ndarray:
        """Return the shapes at `theta`, shape (n_curves, n_nonlinear), reduced like values."""
        shape = model.family.at(self.n, self.first, self.last, theta)
        return without_intercept(self.root * shape, self.root, model)


def pack_curves(n: np.ndarray, y: np.ndarray, weight: np.ndarray,
                model: CurveModel) -> PackedCurves:
    """Move the anchors that count to the left, so that few columns remain.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
    y, weight : ndarray, shape (n_curves, n_anchors)
        Every row with at least one positive weight.
    model : CurveModel
        That is to be fitted.
    """
    counts = weight > 0
    columns = np.argsort(~counts, axis=1, kind="stable")[:, : counts.sum(1).max()]
    rows = np.arange(len(y))[:, None]
    kept = counts[rows, columns]
    packed = np.where(kept, n[columns], n[columns[:, :1]])
    y, weight = (np.where(kept, part[rows, columns], 0.0) for part in (y, weight))
    root = np.sqrt(weight)
    weighted = root * y
    return PackedCurves(
        packed, y, weight, packed[:, :1], packed.max(1, keepdims=True), root,
        without_intercept(weighted, root, model), EXACT * row_dot(weighted, weighted)[:, 0])


MAX_STEPS = 100  # after which a curve counts as not converged
TOLERANCE = 1e-8  # a step that lowers the squared error by less, relatively, is the last one
DIFFERENCE = 1e-6  # of the unit box, for the shape's derivatives
STUCK = 1e8  # damping at which no direction leads down


@dataclass
class _State(Rows):
    """Curves on their way down: where each stands and what it sees there, a row each.

    `shape` and `residual` are times the root of the weights, and without the intercept.
    """

    theta: np.ndarray
    shape: np.ndarray
    residual: np.ndarray
    error: np.ndarray
    beta: np.ndarray

    @classmethod
    def at(cls, curves: PackedCurves, theta: np.ndarray, model: CurveModel) -> "_State":
        shape = curves.shape_at(theta, model)
        residual, beta = reduced_fit(shape, curves.reduced, model)
        return cls(theta, shape, residual, row_dot(residual, residual)[:, 0], beta)

    def replace(self, rows: np.ndarray, other: "_State") -> None:
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(other, field.name)[rows]


def _normal_equations(curves: PackedCurves, state: _State,
                      model: CurveModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the projected Jacobian's Gram matrix and the direction of descent."""
    theta = state.theta
    jacobian = np.empty((theta.shape[1], *state.shape.shape))
    for k in range(theta.shape[1]):
        step = np.where(theta[:, k] < 0.5, DIFFERENCE, -DIFFERENCE)
        ahead = theta.copy()
        ahead[:, k] += step
        shape = curves.shape_at(ahead, model)
        change = without_slope(shape - state.shape, state.shape, model)
        jacobian[k] = change * (state.beta / step[:, None])
    descent = row_dot(jacobian, state.residual)[..., 0].T
    outwards = ((theta <= 0) & (descent < 0)) | ((theta >= 1) & (descent > 0))
    jacobian[outwards.T] = 0
    gram = np.einsum("kcm,lcm->ckl", jacobian, jacobian)
    return gram, np.where(outwards, 0, descent)


def _step(gram: np.ndarray, descent: np.ndarray, damping: np.ndarray) -> np.ndarray:
    diagonal = np.einsum("ckk->ck", gram)
    ridge = damping[:, None] * np.maximum(diagonal, 1e-6 * diagonal.max(1, keepdims=True)) + 1e-300
    damped = gram + ridge[:, :, None] * np.eye(gram.shape[1])
    return np.linalg.solve(damped, descent[..., None])[..., 0]


def refine(curves: PackedCurves, theta: np.ndarray, model: CurveModel,
           steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Descend from `theta` to a local minimum, every curve at its own pace.

    Parameters
    ----------
    curves : PackedCurves
    theta : ndarray, shape (n_curves, n_nonlinear)
        Where to start, in the unit box.
    model : CurveModel
    steps : int
        At most so many.

    Returns
    -------
    theta : ndarray, shape (n_curves, n_nonlinear)
    error : ndarray, shape (n_curves,)
        Weighted mean squared error.
    converged : ndarray of bool, shape (n_curves,)
        False where `steps` were not enough.
    """
    theta, error, converged = theta.copy(), np.empty(len(theta)), np.zeros(len(theta), bool)
    active, state = np.arange(len(theta)), _State.at(curves, theta, model)
    damping = np.full(len(theta), 1e-2)
    for _ in range(steps):
        step = _step(*_normal_equations(curves, state, model), damping)
        trial = _State.at(curves, np.clip(state.theta + step, 0, 1), model)
        better = trial.error < state.error
        done = better & (state.error - trial.error <= TOLERANCE * state.error)
        damping *= np.where(better, 0.2, 8)
        state.replace(better, trial)
        theta[active], error[active] = state.theta, state.error
        done |= (damping > STUCK) | (state.error <= curves.exact)
        converged[active[done]] = True
        if done.any():
            active, curves, state = active[~done], curves.take(~done), state.take(~done)
            damping = damping[~done]
        if not len(active):
            break
    return theta, error, converged


OCTAVES = 0.25  # curves whose last anchors lie this close share their grid of shapes
STARTS = 5  # local minima of the scan that are followed for `TRIAL_STEPS`
TRIAL_STEPS = 3
FINALISTS = 2  # different ones of them, followed for `FINAL_STEPS`
FINAL_STEPS = 20
#: Rounding decides between no two fits, else another processor finds another one. Of the scan's
#: errors so many digits count, relative to the curve's square; of equal points the last is taken.
DIGITS = 11
TIE_BREAK = 1e-15
EQUAL = 1e-6  # relative difference of squared errors up to which fits are equally good
SAME = 0.03  # of the unit box: starts that came this close are on the way to the same minimum


def search(n: np.ndarray, y: np.ndarray, weight: np.ndarray,
           model: CurveModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the best point of the unit box found for each curve, and whether it is a minimum.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
    y, weight : ndarray, shape (n_curves, n_anchors)
        Weight 0 marks an anchor that does not count; rows of `weight` sum to 1.
    model : CurveModel

    Returns
    -------
    theta : ndarray, shape (n_curves, n_nonlinear)
    converged : ndarray of bool, shape (n_curves,)
        False where the best start was still going down after `FINAL_STEPS`.
    """
    curves = pack_curves(n, y, weight, model)
    starts = scan(n, y, weight, np.hstack([curves.first, curves.last]), model, STARTS)
    starts, _ = _follow(curves, starts, model, TRIAL_STEPS, FINALISTS)
    best, converged = _follow(curves, starts, model, FINAL_STEPS, 1)
    return best[:, 0], converged[:, 0]


def _follow(curves: PackedCurves, starts: np.ndarray, model: CurveModel, steps: int,
            keep: int):
    """Refine every curve's starts; return the best `keep` that differ, and their convergence."""
    n_curves, n_starts, n_nonlinear = starts.shape
    theta, error, converged = refine(
        curves.take(np.repeat(np.arange(n_curves), n_starts)),
        starts.reshape(-1, n_nonlinear), model, steps)
    error = error.reshape(n_curves, n_starts)
    least = error.min(1, keepdims=True)
    order = np.argsort(np.where(error <= (1 + EQUAL) * least, least, error), axis=1, kind="stable")
    rank = order + n_starts * np.arange(n_curves)[:, None]
    best = np.argsort(_repeated(theta[rank]), axis=1, kind="stable")[:, :keep]
    pick = np.take_along_axis(rank, best, 1)
    return theta[pick], converged[pick]


def _repeated(theta: np.ndarray) -> np.ndarray:
    """Say of each start whether an earlier one is close to it, shape (n_curves, n_starts)."""
    apart = np.abs(theta[:, :, None] - theta[:, None]).max(-1)
    earlier = np.tri(theta.shape[1], k=-1, dtype=bool)
    return ((apart < SAME) & earlier).any(2)


def grid(model: CurveModel) -> np.ndarray:
    """Return the points of the scan in the unit box, shape (n_points, n_nonlinear)."""
    axes = [np.linspace(0, 1, steps) for steps in model.family.steps]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def squared_errors(shapes: np.ndarray, y: np.ndarray, weight: np.ndarray,
                   model: CurveModel) -> np.ndarray:
    """Return the weighted mean squared error of each curve's best fit by each shape.

    Parameters
    ----------
    shapes : ndarray, shape (n_points, n_anchors)
    y, weight : ndarray, shape (n_curves, n_anchors)
    model : CurveModel

    Returns
    -------
    ndarray, shape (n_curves, n_points)
    """
    if model.intercept:  # shapes that hardly vary would lose their digits below
        shapes = shapes - shapes.min(1, keepdims=True)
    mean_y = (weight * y).sum(1, keepdims=True) * bool(model.intercept)
    centred = y - mean_y
    total = (weight * centred**2).sum(1, keepdims=True)
    cross = (weight * centred) @ shapes.T
    spread = weight @ (shapes**2).T
    if model.intercept:
        spread = np.maximum(spread - (weight @ shapes.T) ** 2, 0)
    if model.slope == "minus one":
        return total + 2 * cross + spread
    slope = slope_of(cross, spread)
    if model.slope == "free":
        return total - slope * cross
    slope = limit_slope(slope, model)
    return total - slope * (2 * cross - slope * spread)


def _local_minima(errors: np.ndarray) -> np.ndarray:
    """Set to infinity what has a lower neighbour, diagonal ones too; axis 0 counts curves."""
    lowest = minimum_filter(errors, (1, *[3] * (errors.ndim - 1)), mode="nearest")
    return np.where(errors > lowest, np.inf, errors)


def best_starts(errors: np.ndarray, model: CurveModel, starts: int) -> np.ndarray:
    """Return the positions of each curve's `starts` lowest local minima on the grid.

    Returns
    -------
    ndarray of int, shape (n_curves, starts)
        The last of equal ones, in descending order. Where a curve has fewer local minima other
        points of the grid make up the number.
    """
    minima = _local_minima(errors.reshape(len(errors), *model.family.steps)).reshape(errors.shape)
    minima = minima - TIE_BREAK * np.arange(errors.shape[1])
    return np.sort(np.argpartition(minima, starts, axis=1)[:, :starts], axis=1)[:, ::-1]


def scan(n: np.ndarray, y: np.ndarray, weight: np.ndarray, ends: np.ndarray, model: CurveModel,
         starts: int) -> np.ndarray:
    """Return where to start refining each curve.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
        Training-set sizes of the columns.
    y, weight : ndarray, shape (n_curves, n_anchors)
        Weight 0 marks an anchor that does not count; rows of `weight` sum to 1.
    ends : ndarray, shape (n_curves, 2)
        Smallest and largest training-set size that count.
    model : CurveModel
    starts : int
        How many points of the grid to return, per curve.

    Returns
    -------
    ndarray, shape (n_curves, starts, n_nonlinear)
        In the unit box.
    """
    points = grid(model)
    chosen = np.empty((len(y), starts), int)
    rounded = np.stack([ends[:, 0], 2 ** (np.ceil(np.log2(ends[:, 1]) / OCTAVES) * OCTAVES)], 1)
    spans, span = np.unique(rounded, axis=0, return_inverse=True)
    for k, (first, last) in enumerate(spans):
        rows = np.flatnonzero(span.ravel() == k)
        columns = np.flatnonzero((weight[rows] > 0).any(0))
        shapes = model.family.at(n[columns], first, last, points)
        cells = np.ix_(rows, columns)
        errors = squared_errors(shapes, y[cells], weight[cells], model)
        power = (weight[cells] * y[cells] ** 2).sum(1, keepdims=True)
        errors = np.round(errors / np.where(power > 0, power, 1), DIGITS)
        chosen[rows] = best_starts(errors, model, starts)
    return points[chosen]
