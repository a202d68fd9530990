"""What a denser grid of anchors finds on curves whose repeats are known: nested grids, two prices.

Bonferroni's correction pays for every comparison, so that a denser grid may find less for its price
alone. The max-statistic pays only for what the comparisons differ in, so that it can compare grids.
Beside each grid stands what is called on curves that were made well-behaved, and how much of what
is called is there again on repeats that did not choose it.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.lookalikes import scattered, well_behaved
from analysis.databases.chosen import main_curves, tried_curves, validation_errors
from analysis.databases.counted import CLASSIC, MODERN, NOT_COUNTED
from analysis.databases.naming import counted_once
from analysis.shapes import detect_shapes
from analysis.shapes.shrunken import measured_anew
from analysis.shapes.significance import ALPHA
from analysis.statistics.bootstrap import ratio_of_sums_interval
from chapters.da1.correction_steps import priced
from collection.anchors import anchor_grid

PER_DOUBLING = (1, 2, 4, 8)  # anchors; each grid is nested in the next, the last is LCDB 1.1's
DRAWS = 1  # of well-behaved curves per real one, with either kind of residuals
OWN_PRICE, DENSE_PRICE, MAX_T = "corrected", "corrected, dense price", "max_t"
COUNTS = ["curves", "called", "again", "new", "new_again", "null", "null_symmetric"]


def mini_curves() -> tuple[xr.DataArray, xr.DataArray]:
    """Return mini's unscaled validation errors of Table 4's learners, and which there are."""
    valid = counted_once(validation_errors("mini")).sel(scaling=["none"])
    names = [n for n in (*CLASSIC, *MODERN) if n in valid["learner"] and n not in NOT_COUNTED]
    valid = valid.sel(learner=names).load()
    return valid, tried_curves(main_curves("mini"), valid)


def on_grid(valid: xr.DataArray, per_doubling: int) -> xr.DataArray:
    """Return the anchors of `valid` that a grid of so many per doubling has."""
    return valid.sel(anchor=np.isin(valid["anchor"], anchor_grid(per_doubling=per_doubling)))


def judge_grids(valid: xr.DataArray, tried: xr.DataArray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge curves on nested grids, and curves like them that are truly well-behaved.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates on LCDB 1.1's anchors.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        Which curves there are.

    Returns
    -------
    counts : pandas.DataFrame
        ``procedure, anchors`` (of the whole grid), ``dataset``, then `COUNTS`: curves; those
        called; of these, those there ``again`` (significant on repeats that did not choose the
        place); those called on no coarser grid, and of these those there again; those called among
        well-behaved curves with the same residuals, drawn with replacement, and with random signs
        (means over draws).
    calls : pandas.DataFrame
        A row per curve called: ``procedure, anchors, dataset, learner, size`` (as reported, error
        rate), ``size_anew`` (on repeats that did not choose it), ``again``, ``new``.
    """
    truth = well_behaved(valid.mean(["outer", "inner"]))
    null = {name: [scattered(truth, valid, seed, residuals) for seed in range(DRAWS)]
            for name, residuals in (("null", "redrawn"), ("null_symmetric", "flipped"))}
    counts, calls, before = [], [], {}
    for per_doubling in PER_DOUBLING:
        anew = _strongest_anew(on_grid(valid, per_doubling))
        for procedure, judge in _judges(valid, per_doubling):
            shapes = judge(on_grid(valid, per_doubling))
            called = shapes["ill_behaved"] & tried
            earlier = before.get(procedure, xr.zeros_like(called))
            new, again = called & ~earlier, anew["p"] < ALPHA
            before[procedure] = called | earlier
            columns = {"curves": tried, "called": called, "again": called & again, "new": new,
                       "new_again": new & again}
            for name, draws in null.items():
                columns[name] = np.mean([judge(on_grid(drawn, per_doubling))["ill_behaved"] & tried
                                         for drawn in draws], axis=0) * xr.ones_like(tried, float)
            keys = {"procedure": procedure, "anchors": len(anchor_grid(per_doubling=per_doubling))}
            sums = xr.Dataset(columns).sum(["learner", "scaling"]).to_dataframe().reset_index()
            counts.append(sums[["dataset", *COUNTS]].assign(**keys))
            size = xr.where(shapes["non_convex"], shapes["violation_conv"], 0)
            size = np.maximum(size, xr.where(shapes["non_monotone"], shapes["violation_mono"], 0))
            rows = xr.Dataset({"called": called, "size": size, "size_anew": anew["size"],
                               "again": again, "new": new}).to_dataframe().query("called")
            calls.append(rows.reset_index()[["dataset", "learner", "size", "size_anew", "again",
                                             "new"]].assign(**keys))
    order = ["procedure", "anchors", "dataset"]
    counts, calls = pd.concat(counts, ignore_index=True), pd.concat(calls, ignore_index=True)
    return counts[[*order, *COUNTS]], calls[[*order, *calls.columns.drop(order)]]


def _judges(valid: xr.DataArray,
            per_doubling: int) -> Iterator[tuple[str, Callable[[xr.DataArray], xr.Dataset]]]:
    """Yield each procedure's name, and how it judges curves of a grid."""
    dense = valid.notnull().any(["outer", "inner"]).sum("anchor")
    yield OWN_PRICE, lambda curves: detect_shapes(curves, "corrected")
    yield DENSE_PRICE, lambda curves: priced(detect_shapes(curves, "corrected"), dense)
    yield MAX_T, lambda curves: detect_shapes(curves, "max_t")


def _strongest_anew(valid: xr.DataArray) -> xr.Dataset:
    """Return p and size of the better confirmed of the two kinds, p doubled as it is chosen."""
    anew = measured_anew(valid)
    p = np.stack([anew["p_mono"].fillna(1), anew["p_conv"].fillna(1)])
    size = np.stack([anew["size_mono"], anew["size_conv"]])
    best = p.argmin(axis=0)[None]
    dims = anew["p_mono"].dims
    return xr.Dataset({"p": (dims, np.minimum(1, 2 * np.take_along_axis(p, best, 0)[0])),
                       "size": (dims, np.take_along_axis(size, best, 0)[0])}, coords=anew.coords)


def resolution(counts: pd.DataFrame) -> pd.DataFrame:
    """Return what each grid finds, with intervals over families of datasets.

    Parameters
    ----------
    counts : pandas.DataFrame
        From `judge_grids`.

    Returns
    -------
    pandas.DataFrame
        ``procedure, anchors, share, low, high`` (percent of curves called, 95 % interval),
        ``null_share`` (percent called of well-behaved curves whose residuals are as skewed as real
        ones), ``again_share`` (percent of those called that are there again on repeats that did not
        choose the place), ``n`` (curves), ``null_symmetric_share`` (as the null, each residual with
        a random sign).
    """
    rows = []
    for (procedure, anchors), group in counts.groupby(["procedure", "anchors"], sort=False):
        sums, by_set = group[COUNTS].sum(), group.set_index("dataset")
        low, high = ratio_of_sums_interval(by_set["called"], by_set["curves"], by_set.index)
        rows.append({
            "procedure": procedure, "anchors": anchors,
            "share": 100 * sums["called"] / sums["curves"], "low": 100 * float(low),
            "high": 100 * float(high), "null_share": 100 * sums["null"] / sums["curves"],
            "again_share": 100 * sums["again"] / sums["called"] if sums["called"] else np.nan,
            "n": int(sums["curves"]),
            "null_symmetric_share": 100 * sums["null_symmetric"] / sums["curves"]})
    return pd.DataFrame(rows).sort_values(["procedure", "anchors"], ignore_index=True)
