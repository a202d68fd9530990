"""How configs rank on datasets, and whose ranks go together (TabRepo, Figure 1)."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

FIRST = 3  # configs of each family that the paper shows


def first_configs(evaluations: xr.Dataset, number: int = FIRST) -> list[str]:
    """Return the first configs of every family, as they stand in the repository: default first.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it, with the coordinate ``family``.
    number : int
        Of each family.
    """
    table = pd.Series(evaluations["family"].values, evaluations["learner"].values)
    return [name for _, names in table.groupby(table, sort=False)
            for name in sorted(names.index, key=natural)[:number]]


def natural(name: str) -> tuple[str, str, int]:
    """Return by what configs are sorted: ``_c1`` before ``_r1`` before ``_r2`` before ``_r10``."""
    head, _, tail = name.rpartition("_")
    number = int(tail[1:]) if tail[1:].isdigit() else 0
    return head, tail[:1], number


def rank_table(evaluations: xr.Dataset, learners: list[str] | None = None) -> pd.DataFrame:
    """Return ranks among all configs, by test error.

    Parameters
    ----------
    evaluations : xarray.Dataset
        Errors of all learners on all tasks; see `open_whole`.
    learners : list of str, optional
        Whose ranks to return; by default all.

    Returns
    -------
    pandas.DataFrame
        A row per learner, a column per dataset: the mid-rank among all learners, 1 is best, mean
        over folds and repeats.
    """
    error = evaluations["error"].sel(split="test").stack(split_of=("repeat", "fold"))
    error = error.transpose("learner", "task", "split_of")
    ranks = rankdata(error.values, axis=0)
    ranks[np.isnan(error.values)] = np.nan
    table = pd.DataFrame(np.nanmean(ranks, axis=2), error["learner"].values, error["task"].values)
    return table if learners is None else table.loc[learners]


def rank_correlations(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of configs' ranks over datasets, a row and column each."""
    return ranks.T.corr(method="spearman")
