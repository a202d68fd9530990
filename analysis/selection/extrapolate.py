"""Extrapolate, then select: fit the first part of every curve and choose by the prediction."""

import numpy as np

from analysis.selection.contest import Contest
from analysis.selection.halving import nearest_rung
from analysis.selection.registry import Outcome, Round, strategy

_EXPONENTS = np.geomspace(0.01, 4, 40)


@strategy("extrapolate", "extrapolate, then select", "Domhan et al. 2015; LCDB 1.0, Section 5")
def extrapolate(contest: Contest, doublings: float = 2) -> Outcome:
    """Train every learner on the first rungs, fit a power law, choose the best prediction.

    Parameters
    ----------
    contest : Contest
    doublings : float
        How far below the top rung the observation ends, in doublings of the training set.

    Returns
    -------
    Outcome
        Learners with fewer than three values keep their last one as prediction; those with none
        lose. Where the top is at the first rung or `doublings` reaches below it, the first rung
        alone is seen.
    """
    last = nearest_rung(contest.log_rows, contest.log_top - doublings)
    seen = np.arange(contest.valid.shape[2]) <= last[:, None]
    rounds = [_everyone(contest, np.flatnonzero(seen[:, k]), k) for k in range(last.max() + 1)]
    observed = np.where(seen[:, None] & np.isfinite(contest.valid), contest.valid, np.nan)
    scaled = 2 ** (np.where(seen, contest.log_rows, 0) - contest.log_top[:, None])
    return Outcome(predict_power_law(observed, scaled).argmin(axis=1), rounds)


def _everyone(contest: Contest, context: np.ndarray, rung: int) -> Round:
    who = np.ones((len(context), len(contest.learners)), bool)
    return Round(context, np.full(len(context), rung), who)


def predict_power_law(observed: np.ndarray, scaled: np.ndarray) -> np.ndarray:
    """Fit a + b·x^(-c) by least squares and return its value at x = 1.

    Parameters
    ----------
    observed : ndarray, shape (context, member, rung)
        Errors; NaN where not observed.
    scaled : ndarray, shape (context, rung)
        Training-set sizes in units of the one to predict; any positive number where unobserved.

    Returns
    -------
    ndarray, shape (context, member)
        Infinite where nothing is observed.

    Notes
    -----
    POW3 of the paper's Appendix F, with a and b not negative. For a given c, a and b are a linear
    problem in closed form; c is the best on a grid from 0.01 to 4.
    """
    present = ~np.isnan(observed)
    y = np.where(present, observed, 0)
    n, total, square = present.sum(axis=2), y.sum(axis=2), (y**2).sum(axis=2)
    best = np.full(n.shape, np.inf)
    prediction = _last_observed(observed, present)
    fitted = n >= 3
    for c in _EXPONENTS:
        x = np.broadcast_to(scaled[:, None] ** -c, y.shape)
        sums = [(present * x).sum(axis=2), (present * x**2).sum(axis=2), (x * y).sum(axis=2)]
        a, b = _line(n, total, *sums)
        loss = square - 2 * (a * total + b * sums[2]) + a**2 * n + 2 * a * b * sums[0]
        loss = np.where(fitted, loss + b**2 * sums[1], np.inf)
        prediction = np.where(loss < best, a + b, prediction)
        best = np.minimum(best, loss)
    return prediction


def _line(
    n: np.ndarray, y: np.ndarray, x: np.ndarray, xx: np.ndarray, xy: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Solve least squares for y = a + b·x with a, b ≥ 0, from the sums."""
    spread = n * xx - x**2
    with np.errstate(divide="ignore", invalid="ignore"):
        b = np.where(spread > 0, (n * xy - x * y) / spread, 0)
        b = np.maximum(b, 0)
        a = (y - b * x) / n
        b = np.where(a < 0, xy / xx, b)
    return np.maximum(np.nan_to_num(a), 0), b


def _last_observed(observed: np.ndarray, present: np.ndarray) -> np.ndarray:
    last = observed.shape[2] - 1 - present[..., ::-1].argmax(axis=2)
    value = np.take_along_axis(observed, last[..., None], axis=2)[..., 0]
    return np.where(present.any(axis=2), value, np.inf)
