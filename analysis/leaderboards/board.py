"""The leaderboard: each method over all tasks, every task counting the same."""

import numpy as np
import pandas as pd

from analysis.leaderboards.elo import rate_wins
from analysis.leaderboards.measures import MEASURES
from analysis.leaderboards.results import MISSING, Results, lay_out
from analysis.statistics.bootstrap import (
    percentile_interval,
    ratio_of_sums_interval,
    resample_datasets,
)

__all__ = ["MISSING", "leaderboard", "leaderboard_intervals"]

BATCH = 2**24  # numbers in the wins of the resamples that are rated together


def leaderboard(
    results: pd.DataFrame,
    missing: str = "refuse",
    fallback: str | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> pd.DataFrame:
    """Compare methods over tasks.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``method, task, fold, error``, a row each; others are ignored. Errors are 0 or
        more, lower is better; NaN is a missing result.
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
    ValueError
        For columns that lack, a result given twice, errors negative or infinite, missing results
        if refused, nothing left to compare.
    UnknownNameError
        For an unknown `missing` or `fallback`.
    """
    laid = lay_out(results, missing, fallback)
    board = pd.DataFrame({name: values.mean(axis=0) for name, values in _per_task(laid).items()},
                         laid.methods)
    board["elo"], board["elo_low"], board["elo_high"] = _elo(laid, seed, resamples)
    board = board.sort_values("rank", kind="stable")
    board.attrs = {"tasks": len(laid.tasks), "splits": len(laid.error)}
    return board


def leaderboard_intervals(
    results: pd.DataFrame,
    missing: str = "refuse",
    fallback: str | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> pd.DataFrame:
    """Return the measures of `leaderboard` but Elo, each with its interval over tasks.

    Parameters
    ----------
    results, missing, fallback, seed, resamples
        As in `leaderboard`.

    Returns
    -------
    pandas.DataFrame
        Columns ``method, measure, value, low, high``: 95 % percentile intervals from resampling
        tasks. The same resamples for all, so that methods can be compared.
    """
    laid = lay_out(results, missing, fallback)
    tables = []
    for name, values in _per_task(laid).items():
        low, high = ratio_of_sums_interval(values, np.ones(len(values)), laid.tasks, seed,
                                           resamples)
        tables.append(pd.DataFrame({"method": laid.methods, "measure": name,
                                    "value": values.mean(axis=0), "low": low, "high": high}))
    return pd.concat(tables, ignore_index=True)


def _per_task(laid: Results) -> dict[str, np.ndarray]:
    """Return every measure's means over folds, shape (task, method)."""
    return {name: laid.over_tasks(m.compute(laid.error)) for name, m in MEASURES.items()}


def _elo(laid: Results, seed: int, resamples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings and the ends of their intervals."""
    wins = task_wins(laid)
    methods = len(laid.methods)
    times = resample_datasets(laid.tasks, seed, resamples)
    batches = np.array_split(times, max(1, resamples * methods**2 // BATCH))
    flat = wins.reshape(len(wins), -1)
    resampled = [rate_wins((batch @ flat).reshape(-1, methods, methods)) for batch in batches]
    return rate_wins(wins.sum(axis=0)), *percentile_interval(np.concatenate(resampled))


def task_wins(results: Results) -> np.ndarray:
    """Return the share of each task's folds that each method wins against each other.

    Returns
    -------
    ndarray of float, shape (task, method, method)
        Row over column; equal errors count half, so that an entry and its mirror sum to 1. A
        method against itself is 0.5.
    """
    wins = np.zeros((len(results.tasks), len(results.methods), len(results.methods)))
    for task, weight, error in zip(results.task, results.weight, results.error, strict=True):
        below = error[:, None] < error[None, :]
        wins[task] += weight * (0.5 + 0.5 * below - 0.5 * below.T)
    return wins
