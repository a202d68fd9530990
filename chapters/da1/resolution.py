"""Whether a denser grid of anchors shows more: nested grids, judged on curves with repeats.

Bonferroni's correction grows with every comparison, so that a denser grid may find less for that
alone. The max-statistic grows only with what the comparisons differ in, so that it can compare
grids. Beside each grid stands what is called of curves that were made well-behaved with the same
residuals. What is called on three outer seeds is tested on the two others, which chose nothing.
"""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.paper_curves import main_curves, tried_curves, validation_errors
from analysis.databases.strays import counted_once
from analysis.shapes import detect_shapes
from analysis.shapes.significance import ALPHA, t_test
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.summary import REPEATS, TIE
from chapters.da1.definitions import corrected_for
from collection.containers.learner_names import CLASSIC, NOT_COUNTED
from collection.protocol.anchors import anchor_grid
from lab.calibration.lookalikes import scattered, well_behaved

DENSE = "lcdb11-anew"  # the database of nested grids
PER_DOUBLING = (1, 2, 4, 8)  # anchors; each grid is nested in the next, the last is LCDB 1.1's
OWN_PRICE, DENSE_PRICE, MAX_T = "corrected", "corrected, dense price", "max_t"
LCDB10_GRID = 2  # anchors per doubling
CHOOSE = 3  # outer seeds of five that choose; the others judge
COUNTS = ["curves", "called", "null", "confirmed", "null_confirmed"]


def dense_curves() -> tuple[xr.DataArray, xr.DataArray]:
    """Return `DENSE`'s unscaled validation errors of Table 4's learners, and which there are."""
    valid = counted_once(validation_errors(DENSE)).sel(scaling=["none"])
    names = [n for n in CLASSIC if n not in NOT_COUNTED]
    valid = valid.sel(learner=names).load()
    return valid, tried_curves(main_curves(DENSE), valid)


def on_grid(valid: xr.DataArray, per_doubling: int) -> xr.DataArray:
    """Return the anchors of `valid` that a grid of so many per doubling has."""
    return valid.sel(anchor=np.isin(valid["anchor"], anchor_grid(per_doubling=per_doubling)))


def judge_grids(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Judge curves on nested grids, and curves like them that are truly well-behaved.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates on LCDB 1.1's anchors.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        Which curves there are.

    Returns
    -------
    pandas.DataFrame
        ``procedure, anchors`` (of the whole grid), ``dataset``, then `COUNTS`: curves; those
        called; those called among well-behaved curves with the same residuals, drawn with
        replacement (``null``); those called on three outer seeds and ``confirmed`` on the two
        others, means over all splits; the same of the well-behaved curves.
    """
    truth = well_behaved(valid.mean(["outer", "inner"]))
    null = xr.concat([scattered(truth.sel(dataset=[d]), valid.sel(dataset=[d]), 0, "redrawn")
                      for d in valid["dataset"].values], "dataset")  # whatever others there are
    dense = valid.notnull().any(["outer", "inner"]).sum("anchor")
    judges = {
        OWN_PRICE: lambda curves: detect_shapes(curves, "corrected"),
        DENSE_PRICE: lambda curves: corrected_for(detect_shapes(curves, "corrected"), dense),
        MAX_T: lambda curves: detect_shapes(curves, "max_t")}
    counts = []
    for per_doubling, (procedure, judge) in product(PER_DOUBLING, judges.items()):
        columns = {"curves": tried}
        for called, confirmed, curves in (("called", "confirmed", on_grid(valid, per_doubling)),
                                          ("null", "null_confirmed", on_grid(null, per_doubling))):
            columns |= {called: judge(curves)["ill_behaved"] & tried,
                        confirmed: split_sample(curves, judge)[1].where(tried, 0)}
        sums = xr.Dataset(columns).sum(["learner", "scaling"]).to_dataframe().reset_index()
        counts.append(sums.assign(procedure=procedure,
                                  anchors=len(anchor_grid(per_doubling=per_doubling))))
    return pd.concat(counts, ignore_index=True)[["procedure", "anchors", "dataset", *COUNTS]]


def counts_by_grid(valid: xr.DataArray) -> list[str]:
    """Return how many of the curves are ill-behaved on LCDB 1.0's sizes and on LCDB 1.1's.

    By the corrected procedure, of the curves that exist; dims as for `judge_grids`.
    """
    there = valid.notnull().any([*REPEATS, "anchor"])
    ill = (detect_shapes(curves, "corrected")["ill_behaved"] & there
           for curves in (on_grid(valid, LCDB10_GRID), valid))
    return [f"{int(bad.sum())} of {int(there.sum())}" for bad in ill]


def split_sample(valid: xr.DataArray, judge: Callable[[xr.DataArray], xr.Dataset]
                 ) -> tuple[xr.DataArray, xr.DataArray]:
    """Call curves on `CHOOSE` outer seeds, and test the same violation on the others.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.
    judge : callable
        Of curves; returns verdicts as `analysis.detect_shapes`.

    Returns
    -------
    chosen, confirmed : xarray.DataArray, dims (...)
        In how many of the splits, as a share, a curve is called, and called and confirmed: by
        a one-sided t-test of the same rise or bend over the other repeats, at 5 % (2.5 % each where
        it is called both non-monotone and non-convex).
    """
    seeds = set(range(valid.sizes["outer"]))
    chosen, confirmed = [], []
    for some in combinations(sorted(seeds), CHOOSE):
        found = judge(valid.isel(outer=list(some)))
        sizes = violations_at(valid.isel(outer=sorted(seeds - set(some))), found)
        kinds = {"mono": found["non_monotone"], "conv": found["non_convex"]}
        asked = sum(kind.astype(int) for kind in kinds.values())
        again = xr.zeros_like(found["ill_behaved"])
        for kind, called in kinds.items():
            p = xr.apply_ufunc(_p_value, sizes[kind], input_core_dims=[["repeat"]])
            again |= called & (p * asked < ALPHA)
        chosen.append(found["ill_behaved"])
        confirmed.append(again)
    return tuple(sum(c.astype(float) for c in found) / len(found) for found in (chosen, confirmed))


def _p_value(values: np.ndarray) -> np.ndarray:
    """Return p of a mean above 0 over the last axis; 1 where it is rounding or there is none."""
    test = t_test(values.reshape(-1, values.shape[-1]))
    p = np.where(test.mean > TIE, np.nan_to_num(test.p, nan=1.0), 1.0)
    return p.reshape(values.shape[:-1])


def violations_at(valid: xr.DataArray, found: xr.Dataset) -> dict[str, xr.DataArray]:
    """Return each repeat's rise and bend at the places of some verdicts.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.
    found : xarray.Dataset
        With the places that `analysis.detect_shapes` reports, in rows.

    Returns
    -------
    dict of str to xarray.DataArray, dims (..., repeat)
        ``mono`` and ``conv``, in the metric's unit; NaN without a place.
    """
    at = {name: values_at(valid, found[name])
          for name in ("mono_i", "mono_j", "conv_h", "conv_i", "conv_j")}
    weight = ((found["conv_j"] - found["conv_i"]) / (found["conv_j"] - found["conv_h"]))
    sizes = {"mono": at["mono_j"] - at["mono_i"],
             "conv": at["conv_i"] - weight * at["conv_h"] - (1 - weight) * at["conv_j"]}
    return {kind: size.stack(repeat=REPEATS) for kind, size in sizes.items()}


def values_at(values: xr.DataArray, anchors: xr.DataArray) -> xr.DataArray:
    """Return the values at an anchor per curve; NaN where that is NaN."""
    known = anchors.fillna(values["anchor"].values[0]).astype(int)
    return values.sel(anchor=known).drop_vars("anchor").where(anchors.notnull())


def by_grid(counts: pd.DataFrame) -> pd.DataFrame:
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
        ones), ``confirmed_share`` (percent of all curves that are called on three outer seeds and
        confirmed on the two others) and ``n`` (curves).
    """
    rows = []
    for (procedure, anchors), group in counts.groupby(["procedure", "anchors"], sort=False):
        sums, by_set = group[COUNTS].sum(), group.set_index("dataset")
        low, high = ratio_of_sums_interval(by_set["called"], by_set["curves"], by_set.index)
        rows.append({
            "procedure": procedure, "anchors": anchors, "share": _percent(sums, "called"),
            "low": 100 * float(low), "high": 100 * float(high),
            "null_share": _percent(sums, "null"), "confirmed_share": _percent(sums, "confirmed"),
            "n": int(sums["curves"])})
    return pd.DataFrame(rows).sort_values(["procedure", "anchors"], ignore_index=True)


def _percent(sums: pd.Series, part: str) -> float:
    return 100 * sums[part] / sums["curves"] if sums["curves"] else np.nan
