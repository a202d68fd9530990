"""Whether a denser grid of anchors shows more: nested grids, judged on curves with repeats.

Bonferroni's correction grows with every comparison, so that a denser grid may find less for that
alone. The max-statistic grows only with what the comparisons differ in, so that it can compare
grids. Beside each grid stands what is called of curves that were made well-behaved, with residuals
that vary as the same curve's do, drawn by whole inner seeds. What is called on three inner seeds is
tested on the two others, which chose nothing: halves by outer seed hold the same five sequences of
classes, and residuals drawn with replacement would be copies of those that chose.

Makes ``da1_resolution_counts`` of `DENSE`, for *How many learning curves misbehave?* and *Can the
verdicts be trusted?*; half an hour:
``make recompute NAMES=da1_resolution_counts``.
"""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes import detect_shapes
from analysis.shapes.detect import VERDICT_OF
from analysis.shapes.lookalikes import scattered, well_behaved
from analysis.shapes.significance import ALPHA, t_test
from analysis.shapes.verdicts import n_pairs, n_triples
from analysis.statistics.summary import REPEATS, TIE
from collection.protocol.anchors import anchor_grid

DENSE = "lcdb11-anew"  # the database of nested grids
PER_DOUBLING = (1, 2, 4, 8)  # anchors; each grid is nested in the next, the last is LCDB 1.1's
OWN_PRICE, DENSE_PRICE, MAX_T = "corrected", "corrected, dense price", "max_t"
CHOOSE = 3  # inner seeds of five that choose; the others judge
COUNTS = ["curves", "called", "null", "confirmed", "null_confirmed"]
#: How many comparisons a curve of so many anchors is corrected for, by kind of violation.
COMPARISONS = {"mono": n_pairs, "conv": n_triples, "dip": lambda n: n - 1, "peak": n_triples}


def corrected_for(shapes: xr.Dataset, n_anchors: xr.DataArray) -> xr.Dataset:
    """Return the verdicts, corrected for the comparisons of another number of anchors.

    Parameters
    ----------
    shapes : xarray.Dataset
        From `detect_shapes`, by a procedure whose p-values are Bonferroni's.
    n_anchors : xarray.DataArray of int
        How many anchors each curve is corrected for; its own where that is more.

    Returns
    -------
    xarray.Dataset
        As `shapes`, with other verdicts and p-values.
    """
    stricter = shapes.copy()
    n_anchors = np.maximum(n_anchors, shapes["n_anchors"]).astype(int)
    for kind, verdict in VERDICT_OF.items():
        more = COMPARISONS[kind](n_anchors) / COMPARISONS[kind](shapes["n_anchors"])
        p = shapes[f"p_{kind}"]
        stricter[f"p_{kind}"] = np.minimum(p * more.where(p.notnull()), 1)
        stricter[verdict] = shapes[verdict] & (stricter[f"p_{kind}"] < ALPHA)
    stricter["ill_behaved"] = stricter["non_monotone"] | stricter["non_convex"]
    return stricter


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


def judge_grids(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Judge curves on nested grids, and curves like them that are truly well-behaved.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates on LCDB 1.1's anchors.
    tried : xarray.DataArray of bool, dims (dataset, learner)
        Which curves there are.

    Returns
    -------
    pandas.DataFrame
        ``procedure, anchors`` (of the whole grid), ``dataset``, then `COUNTS`: curves; those
        called; those called among well-behaved curves with residuals like theirs
        (``null``); those called on three inner seeds and ``confirmed`` on the two
        others, means over all splits; the same of the well-behaved curves.
    """
    truth = well_behaved(valid.mean(["outer", "inner"]))
    null = xr.concat([scattered(truth.sel(dataset=[d]), valid.sel(dataset=[d]), 0,
                                "normal by inner seed")  # whatever others there are
                      for d in valid["dataset"].values], "dataset")
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
                        confirmed: confirmed_share(curves, judge).where(tried, 0)}
        sums = xr.Dataset(columns).sum("learner").to_dataframe().reset_index()
        counts.append(sums.assign(procedure=procedure,
                                  anchors=len(anchor_grid(per_doubling=per_doubling))))
    return pd.concat(counts, ignore_index=True)[["procedure", "anchors", "dataset", *COUNTS]]


def judge_each() -> pd.DataFrame:
    """Return `judge_grids` of all of `DENSE`, one dataset after the other."""
    valid, tried = counted_curves(DENSE, "none")
    parts = [judge_grids(valid.sel(dataset=[dataset]), tried.sel(dataset=[dataset]))
             for dataset in valid["dataset"].values]
    return pd.concat(parts).sort_values(["anchors", "procedure"], kind="stable", ignore_index=True)


def confirmed_share(valid: xr.DataArray,
                    judge: Callable[[xr.DataArray], xr.Dataset]) -> xr.DataArray:
    """Call curves on `CHOOSE` inner seeds, and test the same violation on the others.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.
    judge : callable
        Of curves; returns verdicts as `analysis.detect_shapes`.

    Returns
    -------
    xarray.DataArray, dims (...)
        In how many of the splits, as a share, a curve is called and confirmed: by a one-sided
        t-test of the same rise or bend over the other repeats, at 5 % (2.5 % each where it is
        called both non-monotone and non-convex).
    """
    valid, seeds = valid.drop_vars("inner", errors="ignore"), range(valid.sizes["inner"])
    chosen = list(combinations(seeds, CHOOSE))
    others = [sorted({*seeds} - {*some}) for some in chosen]
    first, second = (valid.isel(inner=xr.DataArray(some, dims=["choice", "inner"])).transpose(
        "choice", *valid.dims) for some in (chosen, others))
    found = judge(first)
    p = {kind: xr.apply_ufunc(_p_value, sizes, input_core_dims=[["repeat"]])
         for kind, sizes in violations_at(second, found).items()}
    asked = found["non_monotone"].astype(int) + found["non_convex"]
    return (found["non_monotone"] & (p["mono"] * asked < ALPHA)
            | found["non_convex"] & (p["conv"] * asked < ALPHA)).mean("choice")


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


#: What is kept, as it takes minutes.
KEPT = {"da1_resolution_counts": judge_each}
