"""The global search: scan a grid, follow several starts, and the best of them to the end."""

import numpy as np

from analysis.fitting.packing import PackedCurves, pack_curves
from analysis.fitting.refine import refine
from analysis.fitting.registry import CurveModel
from analysis.fitting.scan import scan

STARTS = 5  # local minima of the scan that are followed for `TRIAL_STEPS`
TRIAL_STEPS = 3
FINALISTS = 2  # different ones of them, followed for `FINAL_STEPS`
FINAL_STEPS = 20
SAME = 0.03  # of the unit box: starts that came this close are on the way to the same minimum


def search(
    n: np.ndarray, y: np.ndarray, weight: np.ndarray, model: CurveModel
) -> tuple[np.ndarray, np.ndarray]:
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
    curves = pack_curves(n, y, weight)
    starts = scan(n, y, weight, np.hstack([curves.first, curves.last]), model, STARTS)
    starts, _ = _follow(curves, starts, model, TRIAL_STEPS, FINALISTS)
    best, converged = _follow(curves, starts, model, FINAL_STEPS, 1)
    return best[:, 0], converged[:, 0]


def _follow(curves: PackedCurves, starts: np.ndarray, model: CurveModel, steps: int, keep: int):
    """Refine every curve's starts; return the best `keep` that differ, and their convergence."""
    n_curves, n_starts, n_nonlinear = starts.shape
    theta, error, converged = refine(
        curves.take(np.repeat(np.arange(n_curves), n_starts)),
        starts.reshape(-1, n_nonlinear), model, steps)
    order = np.argsort(error.reshape(n_curves, n_starts), axis=1, kind="stable")
    rank = order + n_starts * np.arange(n_curves)[:, None]
    best = np.argsort(_repeated(theta[rank]), axis=1, kind="stable")[:, :keep]
    pick = np.take_along_axis(rank, best, 1)
    return theta[pick], converged[pick]


def _repeated(theta: np.ndarray) -> np.ndarray:
    """Say of each start whether an earlier one is close to it, shape (n_curves, n_starts)."""
    apart = np.abs(theta[:, :, None] - theta[:, None]).max(-1)
    earlier = np.tri(theta.shape[1], k=-1, dtype=bool)
    return ((apart < SAME) & earlier).any(2)
