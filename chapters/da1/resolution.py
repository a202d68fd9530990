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

from analysis.databases.lcdb11.files import CLASSIC, MODERN
from analysis.shapes import detect_shapes
from analysis.shapes.significance import ALPHA, t_test
from analysis.statistics.bootstrap import mean_interval, ratio_of_sums_interval
from analysis.statistics.summary import REPEATS, TIE
from chapters.da1.definitions import corrected_for
from chapters.lab.calibration.lookalikes import scattered, well_behaved
from chapters.lab.chapter_data import main_curves, tried_curves, validation_errors
from chapters.lab.strays import NOT_COUNTED, counted_once
from collection.protocol.anchors import anchor_grid

DENSE = "lcdb11-anew"  # the database of nested grids
PER_DOUBLING = (1, 2, 4, 8)  # anchors; each grid is nested in the next, the last is LCDB 1.1's
OWN_PRICE, DENSE_PRICE, MAX_T = "corrected", "corrected, dense price", "max_t"
LCDB10_GRID = 2  # anchors per doubling
#: Learners that take rows one by one; set apart after their shares had been seen.
ONE_BY_ONE = ("Perceptron", "PassiveAggressive", "SGDClassifier")
CHOOSE = 3  # outer seeds of five that choose; the others judge
COUNTS = ["curves", "called", "null", "null_symmetric", "chosen", "confirmed", "null_chosen",
          "null_confirmed"]


def dense_curves() -> tuple[xr.DataArray, xr.DataArray]:
    """Return `DENSE`'s unscaled validation errors of Table 4's learners, and which there are."""
    valid = counted_once(validation_errors(DENSE)).sel(scaling=["none"])
    names = [n for n in (*CLASSIC, *MODERN) if n in valid["learner"] and n not in NOT_COUNTED]
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
        replacement (``null``) and with random signs (``null_symmetric``); those called on three
        outer seeds (``chosen``) and of these those ``confirmed`` on the two others, means over all
        splits; the same of the well-behaved curves.
    """
    truth = well_behaved(valid.mean(["outer", "inner"]))
    null, symmetric = (scattered(truth, valid, 0, kind) for kind in ("redrawn", "flipped"))
    dense = valid.notnull().any(["outer", "inner"]).sum("anchor")
    judges = {
        OWN_PRICE: lambda curves: detect_shapes(curves, "corrected"),
        DENSE_PRICE: lambda curves: corrected_for(detect_shapes(curves, "corrected"), dense),
        MAX_T: lambda curves: detect_shapes(curves, "max_t")}
    counts = []
    for per_doubling, (procedure, judge) in product(PER_DOUBLING, judges.items()):
        own, other, even = (on_grid(c, per_doubling) for c in (valid, null, symmetric))
        columns = {"curves": tried} | {
            name: judge(curves)["ill_behaved"] & tried
            for name, curves in (("called", own), ("null", other), ("null_symmetric", even))}
        for prefix, curves in (("", own), ("null_", other)):
            chosen, confirmed = split_sample(curves, judge)
            columns |= {f"{prefix}chosen": chosen.where(tried, 0),
                        f"{prefix}confirmed": confirmed.where(tried, 0)}
        sums = xr.Dataset(columns).sum(["learner", "scaling"]).to_dataframe().reset_index()
        counts.append(sums.assign(procedure=procedure,
                                  anchors=len(anchor_grid(per_doubling=per_doubling))))
    return pd.concat(counts, ignore_index=True)[["procedure", "anchors", "dataset", *COUNTS]]


def by_learner_and_grid(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Judge the same curves on LCDB 1.0's sizes and on LCDB 1.1's, learner by learner.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates on LCDB 1.1's anchors.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        Which curves there are.

    Returns
    -------
    pandas.DataFrame
        ``learner``, at last `ONE_BY_ONE` together ("one by one") and all the "others"; ``curves``
        that exist; ``coarse`` and ``dense``, percent that are ill-behaved by the corrected
        procedure; ``more``, the difference in points, with its 95 % interval ``more_low,
        more_high`` over families of datasets.
    """
    there = tried & valid.notnull().any([*REPEATS, "anchor"])
    coarse, dense = (
        100 * detect_shapes(curves, "corrected")["ill_behaved"].astype(float).where(there)
        for curves in (on_grid(valid, LCDB10_GRID), valid))
    shares = {"coarse": coarse, "dense": dense, "more": dense - coarse}
    names = valid["learner"].values.tolist()
    groups = {**{name: [name] for name in names},
              "one by one": [name for name in names if name in ONE_BY_ONE],
              "others": [name for name in names if name not in ONE_BY_ONE]}
    rows = []
    for name, own in groups.items():
        more = shares["more"].sel(learner=own).to_series().dropna()
        low, high = mean_interval(more, pd.Series(more.index.get_level_values("dataset")))
        rows.append({"learner": name, "curves": len(more),
                     **{key: float(share.sel(learner=own).mean()) for key, share in
                        shares.items()}, "more_low": low, "more_high": high})
    return pd.DataFrame(rows)


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
        ones), ``again_share`` (of the curves called on three outer seeds, the percentage confirmed
        on the two others), ``n`` (curves), ``null_symmetric_share`` (as the null, each residual
        with a random sign), ``confirmed_share`` (percent of all curves that are called and
        confirmed) and ``null_again_share`` (as ``again_share``, of the well-behaved curves).
    """
    rows = []
    for (procedure, anchors), group in counts.groupby(["procedure", "anchors"], sort=False):
        sums, by_set = group[COUNTS].sum(), group.set_index("dataset")
        low, high = ratio_of_sums_interval(by_set["called"], by_set["curves"], by_set.index)
        rows.append({
            "procedure": procedure, "anchors": anchors, "share": _percent(sums, "called"),
            "low": 100 * float(low), "high": 100 * float(high),
            "null_share": _percent(sums, "null"),
            "again_share": _percent(sums, "confirmed", "chosen"), "n": int(sums["curves"]),
            "null_symmetric_share": _percent(sums, "null_symmetric"),
            "confirmed_share": _percent(sums, "confirmed"),
            "null_again_share": _percent(sums, "null_confirmed", "null_chosen")})
    return pd.DataFrame(rows).sort_values(["procedure", "anchors"], ignore_index=True)


def _percent(sums: pd.Series, part: str, whole: str = "curves") -> float:
    return 100 * sums[part] / sums[whole] if sums[whole] else np.nan
