"""How sure a mean error is, and how sure that one extrapolator is closer: over datasets.

Curves of one dataset are not independent, so whole datasets are drawn again. The same draws serve
all extrapolators: differences between them are surer than either's own error.
"""

import numpy as np
import pandas as pd

from analysis.intervals.bootstrap import ratio_of_sums_interval


def error_intervals(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the 95 % intervals of mean absolute errors.

    Parameters
    ----------
    table : DataFrame
        ``extrapolator``, ``dataset``, ``points`` and the other `keys`, a row per curve.
    keys : list of str
        What tells groups of curves apart, ``extrapolator`` among them.

    Returns
    -------
    DataFrame
        The keys, ``mean_low``, ``mean_high``: a row per group; NaN with one dataset.
    """
    parts, others = [], [k for k in keys if k != "extrapolator"]
    for labels, part in table.groupby(others, sort=False):
        each = part.groupby(["dataset", "extrapolator"])["points"].agg(["sum", "size"])
        order = part["dataset"].unique()
        sums, sizes = (each[c].unstack(fill_value=0).loc[order] for c in ("sum", "size"))
        low, high = ratio_of_sums_interval(sums.to_numpy(), sizes.to_numpy())
        several = len(sums) > 1
        parts.append(pd.DataFrame({
            **dict(zip(others, labels, strict=True)), "extrapolator": sums.columns,
            "mean_low": low if several else np.nan, "mean_high": high if several else np.nan}))
    return pd.concat(parts, ignore_index=True)


def error_ratio(scores: pd.DataFrame, one: str, other: str) -> tuple[float, float, float]:
    """Return the mean absolute error of one extrapolator as a multiple of another's.

    Parameters
    ----------
    scores : DataFrame
        ``extrapolator``, ``dataset`` and ``points``: a row per curve, the same of both.
    one, other : str
        Extrapolators.

    Returns
    -------
    ratio, low, high : float
        With the 95 % interval over datasets.
    """
    sums = scores.pivot_table(index="dataset", columns="extrapolator", values="points",
                              aggfunc="sum", sort=False)
    low, high = ratio_of_sums_interval(sums[one].to_numpy(), sums[other].to_numpy())
    return float(sums[one].sum() / sums[other].sum()), float(low), float(high)
