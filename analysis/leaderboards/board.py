"""The leaderboard: each method over all tasks, every task counting the same.

Elo ratings are the Bradley-Terry model's by maximum likelihood: method i beats j with probability
1 / (1 + 10^((r_j − r_i) / 400)); ties count half a win each. The likelihood is concave in the
ratings, which are found by Newton's method, many resamples at once.
"""

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from analysis.leaderboards.cells import Splits, lay_splits
from analysis.leaderboards.measures import MEASURES
from analysis.statistics.bootstrap import percentile_interval, resample_datasets

BATCH = 2**24  # numbers in the wins of the resamples that are rated together
SCALE = 400.0  # points in which the odds grow tenfold
MEAN = 1000.0
UNIT = SCALE / np.log(10)  # points per unit of log-odds
STEPS = 100
LARGEST_STEP = 2.0  # log-odds; keeps Newton's method from overshooting
PRECISE = 1e-9  # of the gradient, relative to the number of comparisons
TIE = 0.5  # tasks added to each pair, tied, where there is no maximum


def leaderboard(results: pd.DataFrame, missing: str = "refuse", fallback: str | None = None,
                seed: int = 0, resamples: int = 1000) -> pd.DataFrame:
    """Compare methods over tasks.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``task, method, error``, where there are any ``fold`` and ``seed``, a row each; or
        as `order` takes them, if lower is better. Errors are 0 or more; NaN is a missing result.
    missing : {"refuse", "common", "worst"}
        What is done where a method lacks a result that others have: raise, keep only the folds
        that all methods have, or count it as worse than every result there.
    fallback : str, optional
        A method whose results stand in for missing ones first.
    seed, resamples : int
        Of the resampling of tasks behind Elo's intervals.

    Returns
    -------
    pandas.DataFrame
        A row per method, the best rank first, with

        - ``rank``: the mean of its mid-ranks (1 is best);
        - ``normalized_error``: (error − best) / max(median − best, 1e-5), cut to [0, 1];
        - ``win_rate``: the share of the other methods that it beats, ties counting half;
        - ``improvability``: 1 − best / error, 0 for 0 / 0;
        - ``elo``, ``elo_low``, ``elo_high``: Bradley-Terry by maximum likelihood, scale 400, mean
          1000, ties half, with a 95 % percentile interval from resampling tasks (see
          `rate_wins` for methods that won everything).

        Each is the mean over a task's folds first, then over tasks. A task on which all are equal
        counts like any other: mean rank, normalised error and improvability 0, half a win.
        ``attrs`` hold the numbers of ``tasks`` and ``splits`` (folds of tasks) compared.

    Raises
    ------
    ResultsError
        For columns that lack, a result given twice, errors negative or infinite, values of which
        higher is better, missing results if refused, nothing left to compare.
    UnknownNameError
        For an unknown `missing` or `fallback`.
    """
    laid = lay_splits(results, missing, fallback)
    board = pd.DataFrame({name: values.mean(axis=0) for name, values in _per_task(laid).items()},
                         laid.methods)
    board["elo"], board["elo_low"], board["elo_high"] = _elo(laid, seed, resamples)
    board = board.sort_values("rank", kind="stable")
    board.attrs = {"tasks": len(laid.tasks), "splits": len(laid.error)}
    return board


def _per_task(laid: Splits) -> dict[str, np.ndarray]:
    """Return every measure's means over folds, shape (task, method)."""
    return {name: laid.over_tasks(of(laid.error)) for name, of in MEASURES.items()}


def _elo(laid: Splits, seed: int, resamples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings and the ends of their intervals."""
    wins = task_wins(laid)
    methods = len(laid.methods)
    times = resample_datasets(laid.tasks, seed, resamples)
    batches = np.array_split(times, max(1, resamples * methods**2 // BATCH))
    flat = wins.reshape(len(wins), -1)
    resampled = [rate_wins((batch @ flat).reshape(-1, methods, methods)) for batch in batches]
    return rate_wins(wins.sum(axis=0)), *percentile_interval(np.concatenate(resampled))


def task_wins(laid: Splits) -> np.ndarray:
    """Return the share of each task's folds that each method wins against each other.

    Returns
    -------
    ndarray of float, shape (task, method, method)
        Row over column; equal errors count half, so that an entry and its mirror sum to 1. A
        method against itself is 0.5.
    """
    wins = np.zeros((len(laid.tasks), len(laid.methods), len(laid.methods)))
    for task, weight, error in zip(laid.task, laid.weight, laid.error, strict=True):
        below = error[:, None] < error[None, :]
        wins[task] += weight * (0.5 + 0.5 * below - 0.5 * below.T)
    return wins


def rate_wins(wins: np.ndarray) -> np.ndarray:
    """Return the Elo ratings behind some wins.

    Parameters
    ----------
    wins : ndarray of float, shape (..., method, method)
        How often each method (row) beat each other (column); ties count half for both. The
        diagonal is not looked at.

    Returns
    -------
    ndarray of float, shape (..., method)
        Ratings on a scale of 400 with mean 1000. Where some methods never lost anything to the
        others, the likelihood has no maximum (their lead would be infinite); there, half a tied
        task is added to each pair first.
    """
    methods = wins.shape[-1]
    flat = wins.reshape(-1, methods, methods) * (1 - np.eye(methods))
    # Where everyone beat everyone, directly or through others, a maximum exists.
    loose = np.array([connected_components(w > 0, connection="strong", return_labels=False) > 1
                      for w in flat], bool)
    flat[loose] += TIE / 2 * (1 - np.eye(methods))
    return (MEAN + UNIT * _strengths(flat)).reshape(wins.shape[:-1])


def _strengths(wins: np.ndarray) -> np.ndarray:
    """Return the log-odds strengths, shape (set, method), of mean 0 each."""
    played = wins + wins.swapaxes(-1, -2)
    won = wins.sum(axis=-1)
    strength = np.zeros(won.shape)
    left = np.arange(len(wins))
    for _ in range(STEPS):
        step, gradient = _newton_step(played[left], won[left], strength[left])
        largest = np.abs(step).max(axis=-1, keepdims=True)
        strength[left] += step * np.minimum(1, LARGEST_STEP / np.maximum(largest, 1e-300))
        left = left[np.abs(gradient).max(axis=-1) > PRECISE * played[left].max(axis=(-1, -2))]
        if not len(left):
            break
    return strength - strength.mean(axis=-1, keepdims=True)


def _newton_step(played: np.ndarray, won: np.ndarray,
                 strength: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Newton's step and the gradient of the log-likelihood."""
    beats = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
    gradient = won - (played * beats).sum(axis=-1)
    spread = played * beats * (1 - beats)
    methods = strength.shape[-1]
    hessian = -spread + np.eye(methods) * spread.sum(axis=-1)[:, None]
    # Ratings count up to a constant: fixing their mean makes the matrix regular.
    hessian += hessian.trace(axis1=-2, axis2=-1)[:, None, None] / methods**2
    return np.linalg.solve(hessian, gradient[..., None])[..., 0], gradient
