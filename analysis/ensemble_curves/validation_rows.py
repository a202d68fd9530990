"""What choosing on few validation rows costs, at small and at larger training sets."""

import numpy as np
import pandas as pd

from analysis.intervals.bootstrap import ratio_of_sums_interval
from analysis.intervals.sign_flips import adjusted_p

ALL = "all"


def cost_of_few(table: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    """Return by how much the test error is higher than when chosen on all validation rows.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.ensemble_curves.shipped.open_few_rows`.
    rows : list of str
        Numbers of validation rows, or their names, that are compared with all.

    Returns
    -------
    pandas.DataFrame
        Columns way, rows, anchor, cost, low, high (percentage points: mean over the datasets that
        have both, 95 % interval from resampling them), p (sign flips of datasets, adjusted for all
        anchors of a way and number of rows; NaN with two datasets or fewer), datasets. Anchors with
        fewer than five datasets are left out.
    """
    wide = table.pivot_table(index=["way", "anchor", "dataset"], columns="rows",
                             values="error_rate")
    found = []
    for way in wide.index.get_level_values("way").unique():
        for asked in rows:
            cost = 100 * (wide.loc[way][asked] - wide.loc[way][ALL]).dropna()
            found.append(_by_anchor(cost.unstack("anchor")).assign(way=way, rows=asked))
    return pd.concat(found, ignore_index=True)[
        ["way", "rows", "anchor", "cost", "low", "high", "p", "datasets"]]


def against_single(table: pd.DataFrame, way: str, single: str, rows: str) -> pd.DataFrame:
    """Return the difference of an ensemble to the single best, both chosen on as few rows.

    Returns
    -------
    pandas.DataFrame
        As `cost_of_few`; ``cost`` below 0: the ensemble is better.
    """
    own = table[table["rows"] == rows].pivot_table(
        index=["anchor", "dataset"], columns="way", values="error_rate")
    cost = 100 * (own[way] - own[single]).dropna()
    return _by_anchor(cost.unstack("anchor")).assign(way=way, rows=rows)


LEAST = 5  # datasets


def _by_anchor(cost: pd.DataFrame) -> pd.DataFrame:
    """Summarise costs, a row per dataset and a column per anchor, NaN where there is none."""
    cost = cost.loc[:, cost.notna().sum() >= LEAST]
    there = cost.notna().to_numpy()
    low, high = ratio_of_sums_interval(cost.fillna(0).to_numpy(), there)
    complete = cost.columns[there.all(axis=0)]
    p = pd.Series(np.nan, cost.columns)
    if len(complete):
        p[complete] = adjusted_p(cost[complete].to_numpy())
    return pd.DataFrame({"anchor": cost.columns.astype(int), "cost": cost.mean().to_numpy(),
                         "low": low, "high": high, "p": p.to_numpy(),
                         "datasets": there.sum(axis=0).astype(int)})
