"""Curves in rows, and the linear half of variable projection: alpha and beta for given shapes.

Arrays have one curve per row; `weight` is 0 where a row holds no anchor, and sums to 1 per row.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

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
    """Curves in rows, their anchors packed to the left.

    Attributes
    ----------
    n, y, weight : ndarray, shape (n_curves, n_anchors)
        Training-set sizes, values, and weights that sum to 1 (0 where there is no anchor).
    first, last : ndarray, shape (n_curves, 1)
        Smallest and largest training-set size of each.
    """

    n: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    last: np.ndarray


def shape_at(curves: PackedCurves, theta: np.ndarray, model: CurveModel) -> np.ndarray:
    """Return each curve's shape at `theta`, shape (n_curves, n_nonlinear)."""
    return model.family.at(curves.n, curves.first, curves.last, theta)


@dataclass(frozen=True)
class Reduced(Rows):
    """Curves as the search sees them: weighted, and freed of the intercept.

    Attributes
    ----------
    n, root, y : ndarray, shape (n_curves, n_anchors)
        Training-set sizes; roots of the weights; values times these, without the intercept.
    first, last : ndarray, shape (n_curves, 1)
        Smallest and largest training-set size of each.
    exact : ndarray, shape (n_curves,)
        The error below which a fit is exact but for rounding.
    """

    n: np.ndarray
    root: np.ndarray
    y: np.ndarray
    first: np.ndarray
    last: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, curves: PackedCurves, model: CurveModel) -> "Reduced":
        """Reduce `curves` for fitting `model`."""
        root = np.sqrt(curves.weight)
        y = root * curves.y
        exact = EXACT * row_dot(y, y)[:, 0]
        y = without_intercept(y, root, model)
        return cls(curves.n, root, y, curves.first, curves.last, exact)

    def shape_at(self, theta: np.ndarray, model: CurveModel) -> np.ndarray:
        """Return the shapes at `theta`, shape (n_curves, n_nonlinear), reduced like `y`."""
        shape = model.family.at(self.n, self.first, self.last, theta)
        return without_intercept(self.root * shape, self.root, model)


def pack_curves(n: np.ndarray, y: np.ndarray, weight: np.ndarray) -> PackedCurves:
    """Move the anchors that count to the left, so that few columns remain.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
    y, weight : ndarray, shape (n_curves, n_anchors)
        Every row with at least one positive weight.
    """
    counts = weight > 0
    columns = np.argsort(~counts, axis=1, kind="stable")[:, : counts.sum(1).max()]
    rows = np.arange(len(y))[:, None]
    kept = counts[rows, columns]
    packed = np.where(kept, n[columns], n[columns[:, :1]])
    return PackedCurves(packed, np.where(kept, y[rows, columns], 0.0),
                        np.where(kept, weight[rows, columns], 0.0),
                        packed[:, :1], packed.max(1, keepdims=True))
