"""Who beats whom: wins of methods over each other, per task and over all."""

import numpy as np
import pandas as pd

from analysis.leaderboards.results import Results, lay_out


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


def win_matrix(
    results: pd.DataFrame, missing: str = "refuse", fallback: str | None = None
) -> pd.DataFrame:
    """Return the share of tasks on which each method (row) beats each other (column).

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``method, task, fold, error``.
    missing, fallback
        As in `leaderboard`.

    Returns
    -------
    pandas.DataFrame
        Methods by methods. A tie counts half, a task's folds share its weight of 1; an entry and
        its mirror sum to 1, and the diagonal is 0.5.
    """
    laid = lay_out(results, missing, fallback)
    columns = laid.methods.rename("opponent")
    return pd.DataFrame(task_wins(laid).mean(axis=0), laid.methods, columns)
