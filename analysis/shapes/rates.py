"""How many curves have which shape: shares in percent, by any column, with intervals.

What a denser grid of training sizes shows: each grid comes with curves that are well-behaved by
construction, and with what repeats confirm that took no part in finding it. The counts are kept:
``analysis.published.recall("da1_resolution_counts")``. And whether a curve ends below the constant
classifier's, and whether those that do misbehave.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes.detect import dense_lcdb10_cube, detect_shapes, on_lcdb10_anchors
from analysis.shapes.significance import ALPHA
from analysis.shapes.verdicts import VERDICTS
from analysis.statistics.summary import REPEATS, Summary, shares_of, summarise_ratio
from collection.containers.curves import only_dims
from collection.containers.learner_names import NOT_COUNTED
from collection.project.naming import check_known

LARGE = 0.02  # error rate: two percentage points
EXIST, TRIED = "curves that exist", "curves tried, missing ones included"
#: Columns of `shares_by_grid` and procedures there, in words.
GRID_WORDS = {
    "share": "called", "null_share": "called, truly well-behaved",
    "confirmed_share": "confirmed on other repeats", "max_t": "max-statistic",
    "corrected": "Bonferroni, own grid", "corrected, dense price": "Bonferroni, densest grid"}


def curves_table(shapes: xr.Dataset, of: xr.DataArray | None = None,
                 at_least: float = 0.0) -> pd.DataFrame:
    """Return a row per curve: its verdicts as 0 or 1, violation sizes, anchors, p-values.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner[, scaling, leakage])
        From `analysis.detect_shapes`.
    of : xarray.DataArray of bool, optional
        Which curves there is a row of; by default of all.
    at_least : float
        The size from which a violation makes a curve ill-behaved (`large_violations`).

    Returns
    -------
    pandas.DataFrame
        Columns: the dims, ``missing`` to ``dipping``, then every other
        variable of `shapes`. Anchors in rows; NaN where a curve has no such violation.
    """
    dims = [d for d in ("dataset", "learner", "scaling", "leakage") if d in shapes.dims]
    shapes = shapes.assign(ill_behaved=large_violations(shapes, at_least)) if at_least else shapes
    table = only_dims(shapes).to_dataframe(dim_order=dims)
    if of is not None:
        table = table[only_dims(of).to_series().reorder_levels(dims).reindex(table.index)]
    table = table.reset_index()
    for verdict in VERDICTS:
        table[verdict] = table[verdict].astype(int)
    rest = [c for c in table.columns if c not in (*dims, *VERDICTS)]
    return table[[*dims, *VERDICTS, *rest]]


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the learners that the paper's Table 4 counts."""
    return table[~table["learner"].isin(NOT_COUNTED)]


def large_violations(shapes: xr.Dataset, at_least: float) -> xr.DataArray:
    """Tell which curves are ill-behaved by a significant violation of a size.

    Parameters
    ----------
    shapes : xarray.Dataset
        From `analysis.detect_shapes`.
    at_least : float
        The size from which a violation counts, in the metric's unit: 0.02 is two points of error.

    Returns
    -------
    xarray.DataArray of bool
    """
    return ((shapes["non_monotone"] & (shapes["violation_mono"] >= at_least))
            | (shapes["non_convex"] & (shapes["violation_conv"] >= at_least)))


def share_of(called: xr.DataArray, of: xr.DataArray) -> Summary:
    """Return the percentage of some curves that are called something.

    Parameters
    ----------
    called : xarray.DataArray of bool, dims (dataset, ...)
    of : xarray.DataArray of bool, of the same dims
        The curves that count.

    Returns
    -------
    Summary
        Percent, with its 95 % interval over families of datasets, exact where few are called; `n`
        is the number of curves. NaN of none.
    """
    each = called.astype(float).where(of).to_series().dropna()
    found = shares_of(each, np.ones(len(each)), each.index.get_level_values("dataset"))
    return Summary(*map(np.ndarray.item, found), len(each))


def shape_shares(curves: xr.Dataset | pd.DataFrame, by: Sequence[str] = (),
                 missing: bool = False, wide: bool = False, most: str = "") -> pd.DataFrame:
    """Return which share of the curves has each shape, by any columns, with intervals.

    The paper's Table 4, and with ``by=["learner"]`` its Tables 6 to 8, where missing curves count.

    Parameters
    ----------
    curves : xarray.Dataset or pandas.DataFrame
        From `analysis.detect_shapes`, or a row per curve from `curves_table`, to which columns may
        have been added.
    by : sequence of str
        Columns whose values have shares of their own, such as ``["learner"]``; by default all
        curves together.
    missing : bool
        Whether missing curves count, as curves without any shape.
    wide : bool
        Whether each shape is a column, without intervals.
    most : str
        A shape, by whose share groups come in order, the largest first.

    Returns
    -------
    pandas.DataFrame
        A row per group, in the order in which they come, and shape: the columns of `by`,
        ``n_curves``, ``verdict``, ``rate, low, high``: percent of the curves, and its 95 % interval
        over families of datasets, as curves of one dataset resemble each other; of few curves with
        a shape, or without, from `exact_if_few`. NaN ends of one family alone.

    Raises
    ------
    UnknownNameError
        For a column that there is not.
    """
    table = curves_table(curves) if isinstance(curves, xr.Dataset) else curves
    check_known("column of the curves", by, list(table))
    table, rows = table if missing else table[table["missing"] == 0], []
    for key, group in table.groupby(list(by), sort=False) if by else [((), table)]:
        counts = group.groupby("dataset")[list(VERDICTS)].sum()
        sizes = group.groupby("dataset").size()
        own = dict(zip(by, key, strict=True)) | {"n_curves": len(group)}
        rows += [own | {"verdict": verdict, "rate": rate, "low": low, "high": high}
                 for verdict, rate, low, high in zip(
                     VERDICTS, *shares_of(counts, sizes, sizes.index), strict=True)]
    shares = pd.DataFrame(rows, columns=[*by, "n_curves", "verdict", "rate", "low", "high"])
    if most:
        of_shape = shares["rate"].where(shares["verdict"] == most)
        of_group = of_shape.groupby(np.arange(len(shares)) // len(VERDICTS)).transform("max")
        shares = shares.loc[of_group.sort_values(ascending=False, kind="stable").index]
    return shares.pivot_table("rate", [*by, "n_curves"], "verdict", sort=False,
                              observed=True).reset_index() if wide else shares


def shares_by_definition(valid: xr.DataArray, tried: xr.DataArray,
                         alpha: float = ALPHA) -> pd.DataFrame:
    """Return the share of ill-behaved curves by definition, and when to use which.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, ..., outer, inner, anchor)
        Error rates.
    tried : xarray.DataArray of bool, dims (dataset, ...)
        The curves that were tried; those of them without a value are missing.
    alpha : float
        Significance level of each curve's verdict.

    Returns
    -------
    pandas.DataFrame
        ``definition``, ``share, low, high`` (percent, 95 % interval over families of datasets),
        ``numerator``, ``denominator`` (curves), ``of`` (which curves count), ``of those that exist,
        %`` and ``when to use it``. The first row is the one to quote; on LCDB 1.0's anchors there
        is one more.
    """
    exist = tried & valid.notnull().any([*REPEATS, "anchor"])
    own, strict, paper = (detect_shapes(valid, procedure, alpha) for procedure in (
        "corrected", "nadeau_bengio", "published"))
    ways = [
        ("corrected procedure", own["ill_behaved"], exist, "to quote"),
        ("corrected, violation of at least 2 points", large_violations(own, LARGE), exist,
         "where small violations do not matter"),
        ("corrected, test of Nadeau and Bengio", strict["ill_behaved"], exist,
         "for claims about other data of the same kind"),
        ("corrected, missing curves counted", own["ill_behaved"], tried,
         "beside shares that count missing curves"),
        ("the paper's procedure", paper["ill_behaved"], tried, "beside the paper's Table 4")]
    if on_lcdb10_anchors(valid["anchor"].values):
        dense = detect_shapes(dense_lcdb10_cube(valid), "corrected_independent", alpha)
        ways.append(("the paper's procedure without its faults", dense["ill_behaved"], tried,
                     "beside LCDB 1.1's share: as many comparisons"))
    rows = []
    for definition, called, of, when in ways:
        share = share_of(called, of)
        rows.append((definition, share.value, share.low, share.high, int((called & of).sum()),
                     share.n, EXIST if of is exist else TRIED, when))
    table = pd.DataFrame(rows, columns=["definition", "share", "low", "high", "numerator",
                                        "denominator", "of", "when to use it"])
    existing = 100 * table["numerator"] / table["denominator"].iloc[0]
    table.insert(7, "of those that exist, %", existing)
    return table


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
