"""Which strategy survives crossing curves: means with bootstrap intervals over datasets."""

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import ratio_of_sums_interval

KEYS = ["database", "procedure", "group", "strategy", "params"]

#: Measures of cost in words, the one that comes closest to what is paid first.
COSTS = {"seconds_share": "CPU time", "rows_share": "training rows"}


def summarise_strategies(frame: pd.DataFrame, seed: int = 0,
                         n_resamples: int = 1000) -> pd.DataFrame:
    """Average the rows of `compare_strategies` over datasets.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the setting ``full`` for every group, which costs are relative to.
    seed, n_resamples : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        A row per database, procedure, group, strategy and params: regret and top_1_rate with
        their 95 % percentile intervals (``_low``, ``_high``), and the cost in fits, rows and
        seconds as shares of full evaluation (sum over sum). The mean over a dataset's outer
        seeds comes first, so that every dataset counts the same.

    Raises
    ------
    ValueError
        If a group was not fully evaluated.
    """
    frame = frame.assign(top_1_rate=(frame["rank"] == 1).astype(float))
    full = frame[frame["strategy"] == "full"].groupby("group")[["fits", "rows", "seconds"]].sum()
    absent = sorted(set(frame["group"]) - set(full.index))
    if absent:
        raise ValueError(
            f"Costs are relative to full evaluation, which was not run on {', '.join(absent)}; "
            "add ('full', {}) to the settings."
        )
    rows = []
    for key, part in frame.groupby(KEYS, sort=False):
        row = dict(zip(KEYS, key, strict=True))
        means = part.groupby("dataset")[["regret", "top_1_rate"]].mean()
        for name in means:
            row |= _with_interval(name, means[name], seed, n_resamples)
        cost = part[["fits", "rows", "seconds"]].sum(min_count=1) / full.loc[row["group"]]
        rows.append(row | cost.add_suffix("_share").to_dict())
    return pd.DataFrame(rows)


def cost_measure(summary: pd.DataFrame) -> str:
    """Return the first of `COSTS` that every database of a summary has.

    Parameters
    ----------
    summary : pandas.DataFrame
        From `summarise_strategies`. CPU seconds are NaN for a database without training times.
    """
    by_database = summary.groupby("database")
    return next(cost for cost in COSTS if by_database[cost].count().all())


def _with_interval(name: str, values: pd.Series, seed: int,
                   n_resamples: int) -> dict[str, float]:
    datasets = values.index.get_level_values("dataset")
    low, high = ratio_of_sums_interval(values, np.ones(len(values)), datasets, seed, n_resamples)
    return {name: values.mean(), f"{name}_low": float(low), f"{name}_high": float(high)}
