"""The second half of a fit: Levenberg-Marquardt on the variable projection functional, in batch.

Only the nonlinear parameters move; the linear ones are solved exactly at each step (Golub and
Pereyra 1973, with Kaufman's 1975 Jacobian, whose gradient is exact).
"""

from dataclasses import dataclass, fields

import numpy as np

from analysis.fitting.linear import reduced_fit, row_dot, without_slope
from analysis.fitting.packing import PackedCurves, Reduced
from analysis.fitting.registry import CurveModel

MAX_STEPS = 100  # after which a curve counts as not converged
TOLERANCE = 1e-8  # a step that lowers the squared error by less, relatively, is the last one
DIFFERENCE = 1e-6  # of the unit box, for the shape's derivatives
STUCK = 1e8  # damping at which no direction leads down


@dataclass
class _State:
    """Curves on their way down: where each stands and what it sees there, a row each.

    `shape` and `residual` are times the root of the weights, and without the intercept.
    """

    theta: np.ndarray
    shape: np.ndarray
    residual: np.ndarray
    error: np.ndarray
    beta: np.ndarray

    @classmethod
    def at(cls, curves: Reduced, theta: np.ndarray, model: CurveModel) -> "_State":
        shape = curves.shape_at(theta, model)
        residual, beta = reduced_fit(shape, curves.y, model)
        return cls(theta, shape, residual, row_dot(residual, residual)[:, 0], beta)

    def take(self, rows: np.ndarray) -> "_State":
        return _State(*(getattr(self, f.name)[rows] for f in fields(self)))

    def replace(self, rows: np.ndarray, other: "_State") -> None:
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(other, field.name)[rows]


def _normal_equations(
    curves: Reduced, state: _State, model: CurveModel
) -> tuple[np.ndarray, np.ndarray]:
    """Return the projected Jacobian's Gram matrix and the direction of descent."""
    theta = state.theta
    jacobian = np.empty((theta.shape[1], *state.shape.shape))
    for k in range(theta.shape[1]):
        step = np.where(theta[:, k] < 0.5, DIFFERENCE, -DIFFERENCE)
        ahead = theta.copy()
        ahead[:, k] += step
        change = without_slope(curves.shape_at(ahead, model) - state.shape, state.shape, model)
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


def refine(
    curves: PackedCurves, theta: np.ndarray, model: CurveModel, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    curves = Reduced.of(curves, model)
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
