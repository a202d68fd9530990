"""What a denser grid of training sizes shows: shares of curves by grid, and what the densest adds.

Each grid comes with curves that are well-behaved by construction, and with what repeats confirm
that took no part in finding it. The counts are kept:
``analysis.published.recall("da1_resolution_counts")``.
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics.summary import Summary, summarise_ratio
from collection.protocol.anchors import anchor_grid

#: Columns of `shares_by_grid` and procedures there, in words.
GRID_WORDS = {
    "share": "called", "null_share": "called, truly well-behaved",
    "confirmed_share": "confirmed on other repeats", "max_t": "max-statistic",
    "corrected": "Bonferroni, own grid", "corrected, dense price": "Bonferroni, densest grid"}


def on_grid(curves: xr.DataArray, per_doubling: int) -> xr.DataArray:
    """Return curves at the anchors of a grid of so many per doubling: LCDB 1.0's has two.

    Parameters
    ----------
    curves : xarray.DataArray
        On LCDB 1.1's anchors, eight per doubling, with a dim ``anchor``.
    per_doubling : {1, 2, 4, 8}
        Each grid is nested in the next.
    """
    return curves.sel(anchor=np.isin(curves["anchor"], anchor_grid(per_doubling=per_doubling)))


def shares_by_grid(counts: pd.DataFrame) -> pd.DataFrame:
    """Return what each grid finds, with intervals over families of datasets.

    Parameters
    ----------
    counts : pandas.DataFrame
        A row per ``procedure, anchors`` (of the whole grid) and ``dataset``: how many ``curves``,
        how many of them are ``called`` ill-behaved, how many of well-behaved curves with residuals
        like theirs (``null``), and how many are called on three inner seeds and ``confirmed`` on
        the two others.

    Returns
    -------
    pandas.DataFrame
        ``procedure, anchors, share, low, high`` (percent of curves called, 95 % interval),
        ``null_share, confirmed_share`` (percent) and ``n`` (curves).
    """
    rows = []
    for key, grid in counts.groupby(["procedure", "anchors"]):
        n, share = grid["curves"].sum(), summarise_ratio(
            grid["called"], grid["curves"], grid["dataset"], 100)
        rows.append((*key, share.value, share.low, share.high, 100 * grid["null"].sum() / n,
                     100 * grid["confirmed"].sum() / n, n))
    return pd.DataFrame(rows, columns=["procedure", "anchors", "share", "low", "high",
                                       "null_share", "confirmed_share", "n"])


def denser_adds(counts: pd.DataFrame) -> dict[str, Summary]:
    """Return what the densest grid confirms more than the coarsest, in points.

    Parameters
    ----------
    counts : pandas.DataFrame
        As for `shares_by_grid`, of one procedure, with ``null_confirmed`` too.

    Returns
    -------
    dict of str to Summary
        ``denser_more`` of the real curves, ``denser_null`` of the well-behaved ones, and what is
        ``denser_left``.
    """
    coarse, dense = (counts[counts["anchors"] == end].set_index("dataset").sort_index()
                     for end in (counts["anchors"].min(), counts["anchors"].max()))
    more, null = (dense[called] - coarse[called] for called in ("confirmed", "null_confirmed"))
    return {f"denser_{key}": summarise_ratio(change, dense["curves"], dense.index, 100)
            for key, change in (("more", more), ("null", null), ("left", more - null))}
