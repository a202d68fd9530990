"""Which methods differ significantly: critical differences of mean ranks (Demšar 2006)."""

import numpy as np
import pandas as pd

from analysis.intervals.critical_difference import rank_models
from analysis.leaderboards.results import lay_out


def critical_differences(
    results: pd.DataFrame, missing: str = "refuse", fallback: str | None = None,
    alpha: float = 0.05,
) -> tuple:
    """Compare methods by Friedman's test and Nemenyi's post-hoc test on mean ranks over tasks.

    A task is one observation, whatever its folds: errors are averaged over them, as they are on
    one scale. Mean ranks may therefore differ a little from those of `leaderboard`, which ranks
    within folds. Draw the result with
    `analysis.intervals.critical_difference.plot_critical_difference`.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``method, task, fold, error``.
    missing, fallback
        As in `analysis.leaderboards.leaderboard`.
    alpha : float
        Family-wise level.

    Returns
    -------
    autorank.RankResult
        See `analysis.intervals.critical_difference.rank_models`.

    Raises
    ------
    ValueError
        For fewer than five tasks or fewer than two methods, and as `leaderboard` does.
    """
    laid = lay_out(results, missing, fallback)
    if len(laid.methods) < 2:
        raise ValueError(f"A comparison needs two methods; there is only {laid.methods[0]}.")
    errors = laid.over_tasks(np.where(np.isinf(laid.error), np.finfo(np.float32).max, laid.error))
    table = pd.DataFrame(errors, laid.tasks, laid.methods).stack().rename("error").reset_index()
    return rank_models(table, ["task"], "method", "error", alpha)
