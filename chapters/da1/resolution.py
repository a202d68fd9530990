"""Whether a denser grid of anchors shows more: nested grids, judged on curves with repeats.

Bonferroni's correction grows with every comparison, so that a denser grid may find less for that
alone. The max-statistic grows only with what the comparisons differ in, so that it can compare
grids. Beside each grid stands what is called of curves that were made well-behaved with the same
residuals. What is called on three outer seeds is tested on the two others, which chose nothing.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_data import main_curves, tried_curves, validation_errors
from analysis.databases.lcdb11.files import CLASSIC, MODERN, NOT_COUNTED
from analysis.databases.naming import counted_once
from analysis.shapes import PROCEDURES, dense_lcdb10_cube, detect_shapes, on_lcdb10_anchors
from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.detect import VERDICT_OF
from analysis.shapes.significance import ALPHA, TESTS, t_test
from analysis.shapes.verdicts import n_pairs, n_triples
from analysis.statistics.bootstrap import ratio_of_sums_interval, share_interval
from analysis.statistics.summary import REPEATS, TIE
from collection.protocol.anchors import anchor_grid

# --- How many curves are ill-behaved by each definition: procedure, test, least size, denominator.
# And peaks by local monotonicity, as the paper's Appendix H counts them, beside those of Section
# 4: each segment between neighbouring anchors is classified by t-tests; a worsening that an
# improvement follows makes a peak.

#: From the paper's test to the strictest; the rest of the registry is for other questions.
STRICTER = ("paired", "larger_error", "t_over_1.25", "shared", "nadeau_bengio")
#: How many comparisons a curve of so many anchors is corrected for, by kind of violation.
COMPARISONS = {"mono": n_pairs, "conv": n_triples, "dip": lambda n: n - 1, "peak": n_triples}
SIZES = (0.0, 0.01, 0.02, 0.05)  # error rate
LARGE = 0.02  # error rate: two percentage points


def shares_by_test(valid: xr.DataArray, tried: xr.DataArray, tests: tuple[str, ...] = STRICTER,
                   sizes: tuple[float, ...] = SIZES) -> pd.DataFrame:
    """Return the share of ill-behaved curves by the test, and by the size that counts.

    All else is as in the procedure "corrected".

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        The curves to count, missing ones included.
    tests : tuple of str
        Names in `analysis.shapes.significance.TESTS`.
    sizes : tuple of float
        A significant violation counts from this size on, as an error rate.

    Returns
    -------
    pandas.DataFrame
        ``test, min_violation, ill_behaved``: percent of the curves tried; ``low, high``: 95 %
        interval from resampling families of datasets; ``of_existing, existing_low,
        existing_high``: the same of the curves that exist.
    """
    rows, there = [], tried & valid.notnull().any(["outer", "inner", "anchor"])
    for test in tests:
        found = detect_shapes(valid, "corrected" if test == "paired" else test)
        for size in sizes:
            ill = ((found["non_monotone"] & (found["violation_mono"] >= size))
                   | (found["non_convex"] & (found["violation_conv"] >= size)))
            rows.append((TESTS[test].name, size, *share_of(ill, tried), *share_of(ill, there)))
    return pd.DataFrame(rows, columns=["test", "min_violation", "ill_behaved", "low", "high",
                                       "of_existing", "existing_low", "existing_high"])


def share_of(ill: xr.DataArray, counted: xr.DataArray) -> tuple[float, float, float]:
    """Return the percentage of the curves counted, with its interval over families of datasets."""
    each = 100 * ill.where(counted).to_series().dropna().astype(float)
    return each.mean(), *share_interval(each, pd.Series(each.index.get_level_values("dataset")))


def by_definition(tests: pd.DataFrame, shapes: dict[str, xr.Dataset], valid: xr.DataArray,
                  tried: xr.DataArray, database: str) -> pd.DataFrame:
    """Return the share of ill-behaved curves by definition, and when to use which.

    Parameters
    ----------
    tests : pandas.DataFrame
        From `shares_by_test`.
    shapes : dict of str to xarray.Dataset
        By "published" and "corrected", of one scaling.
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        The curves to count, missing ones included.
    database : str
        Of LCDB 1.0 there are three more definitions.

    Returns
    -------
    pandas.DataFrame
        ``definition``, ``share, low, high`` (percent, 95 % interval), ``numerator``,
        ``denominator`` (curves), ``of`` (which curves count) and ``when to use it``. The first row
        is the one to quote.
    """
    there = tried & valid.notnull().any(["outer", "inner", "anchor"])
    by_test = tests.set_index(["test", "min_violation"])
    exist, slots = int(there.sum()), int(tried.sum())
    existing = ["of_existing", "existing_low", "existing_high"]
    rows = [
        ("corrected procedure", *by_test.loc[("paired", 0), existing], exist, "to quote"),
        ("corrected, violation of at least 2 points", *by_test.loc[("paired", LARGE), existing],
         exist, "where small violations do not matter"),
        ("corrected, test of Nadeau and Bengio", *by_test.loc[("nadeau_bengio", 0), existing],
         exist, "for claims about other data of the same kind"),
        ("corrected, missing curves counted", *share_of(shapes["corrected"]["ill_behaved"], tried),
         slots, "beside shares that count missing curves"),
        ("the paper's procedure", *share_of(shapes["published"]["ill_behaved"], tried), slots,
         "beside the paper's Table 4")]
    if on_lcdb10_anchors(valid["anchor"].values):
        dense = detect_shapes(dense_lcdb10_cube(valid), "corrected")["ill_behaved"]
        rows.append(("the paper's procedure without its faults", *share_of(dense, tried), slots,
                     "beside LCDB 1.1's share: as many comparisons"))
    if database == "lcdb10":
        from analysis.calibration.recommend import SEEN_WELL, believed, called

        true = believed()
        found = called(true["procedure"])
        rows += [(f"most powerful test: {PROCEDURES[true['procedure']].title}",
                  *found[["rate", "low", "high"]], slots, "to look at single datasets"),
                 (f"estimated, true violation of at least {100 * SEEN_WELL:.0f} points",
                  *true[["rate", "low", "high"]], slots, "for how many there truly are")]
    table = pd.DataFrame(rows, columns=["definition", "share", "low", "high", "denominator",
                                        "when to use it"])
    table.insert(4, "numerator", (table["share"] * table["denominator"] / 100).round().astype(int))
    table.insert(6, "of", np.where(table["denominator"] == exist, "curves that exist",
                                   "curves tried, missing ones included"))
    return table


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


class Segment(IntEnum):
    """What a curve does from one anchor to the next."""

    worsening = -1
    insignificant = 0
    improvement = 1


def local_segments(valid: xr.DataArray) -> xr.DataArray:
    """Classify each curve's segments between neighbouring anchors.

    Paired t-tests in both directions over the repeats that have both anchors, at a level of 0.05
    divided by the curve's number of segments. (The paper's Appendix H says that it does not correct
    for their number; its code does.) A change that is no more than rounding is insignificant.

    Parameters
    ----------
    valid : DataArray
        As for `detect_shapes`.

    Returns
    -------
    DataArray of float
        Over the remaining dims and ``anchor``: the `Segment` from that anchor to the curve's next
        one; NaN where the curve has no such anchor or no next one.
    """
    stack = CurveStack(valid)
    anchors = valid["anchor"].values
    segments = np.full((stack.size, len(anchors)), np.nan)
    done = 0
    for curves in stack.blocks():
        segments[done : done + len(curves)] = _classify(curves, anchors)
        done += len(curves)
    return xr.DataArray(segments.reshape(*stack.shape, len(anchors)),
                        dims=[*stack.lead, "anchor"], name="segment",
                        coords=stack.lead_coords() | {"anchor": valid["anchor"]},
                        attrs={"flag_values": [int(s) for s in Segment],
                               "flag_meanings": " ".join(s.name for s in Segment)})


def _classify(curves: Curves, anchors: np.ndarray) -> np.ndarray:
    """Return the segments of packed curves, each at its first anchor in the order of `anchors`."""
    segments = np.full((len(curves), len(anchors)), np.nan)
    n_segments = curves.counts - 1
    for k in range(curves.means.shape[1] - 1):
        rows = np.flatnonzero(n_segments > k)
        better = curves.values[rows, :, k] - curves.values[rows, :, k + 1]
        real = np.abs(t_test(better).mean) > curves.rounding[rows]
        kind = np.full(len(rows), float(Segment.insignificant))
        for segment in (Segment.improvement, Segment.worsening):
            p = t_test(segment * better).p * n_segments[rows]
            kind[real & (p < ALPHA)] = segment
        segments[rows, np.searchsorted(anchors, curves.anchors[rows, k])] = kind
    return segments


def count_peaks(segments: xr.DataArray) -> xr.DataArray:
    """Count the peaks of each curve: a worsening that an improvement follows sooner or later.

    Insignificant segments in between do not matter; an improvement ends at most one peak.

    Parameters
    ----------
    segments : DataArray
        As `local_segments` returns it.

    Returns
    -------
    DataArray of int
        Over the dims other than ``anchor``.
    """
    array = segments.transpose(..., "anchor").values
    rising = np.zeros(array.shape[:-1], dtype=bool)
    peaks = np.zeros(array.shape[:-1], dtype=int)
    for k in range(array.shape[-1]):
        over = rising & (array[..., k] == Segment.improvement)
        peaks += over
        rising = (rising & ~over) | (array[..., k] == Segment.worsening)
    return xr.DataArray(peaks, dims=segments.transpose(..., "anchor").dims[:-1], name="peaks",
                        coords=segments.isel(anchor=0, drop=True).coords)


def peaks_by_method(valid: xr.DataArray, peaking: xr.DataArray) -> pd.DataFrame:
    """Return each learner's share of curves with a peak, by both methods.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    peaking : xarray.DataArray of bool, dims (dataset, learner)
        The verdict of Section 4.

    Returns
    -------
    pandas.DataFrame
        ``learner, curves`` (not missing); percent of them: ``section_4``, ``appendix_h`` (a
        significant worsening between neighbours that an improvement follows), ``both``.
    """
    there = valid.notnull().any(["outer", "inner", "anchor"])
    local = count_peaks(local_segments(valid)) > 0
    shares = {"section_4": peaking, "appendix_h": local, "both": peaking & local}
    table = pd.DataFrame({name: 100 * (found.where(there)).mean("dataset").to_series()
                          for name, found in shares.items()})
    table.insert(0, "curves", there.sum("dataset").to_series())
    table = table.rename_axis("learner").reset_index()
    return table.sort_values("section_4", ascending=False, ignore_index=True, kind="stable")

PER_DOUBLING = (1, 2, 4, 8)  # anchors; each grid is nested in the next, the last is LCDB 1.1's
OWN_PRICE, DENSE_PRICE, MAX_T = "corrected", "corrected, dense price", "max_t"
CHOOSE = 3  # outer seeds of five that choose; the others judge
COUNTS = ["curves", "called", "null", "null_symmetric", "chosen", "confirmed", "null_chosen",
          "null_confirmed"]


def mini_curves() -> tuple[xr.DataArray, xr.DataArray]:
    """Return mini's unscaled validation errors of Table 4's learners, and which there are."""
    valid = counted_once(validation_errors("mini")).sel(scaling=["none"])
    names = [n for n in (*CLASSIC, *MODERN) if n in valid["learner"] and n not in NOT_COUNTED]
    valid = valid.sel(learner=names).load()
    return valid, tried_curves(main_curves("mini"), valid)


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
    from analysis.calibration.lookalikes import scattered, well_behaved

    truth = well_behaved(valid.mean(["outer", "inner"]))
    null, symmetric = (scattered(truth, valid, 0, kind) for kind in ("redrawn", "flipped"))
    counts = []
    for per_doubling in PER_DOUBLING:
        for procedure, judge in _judges(valid, per_doubling):
            own, other, even = (on_grid(c, per_doubling) for c in (valid, null, symmetric))
            columns = {"curves": tried, "called": judge(own)["ill_behaved"] & tried,
                       "null": judge(other)["ill_behaved"] & tried,
                       "null_symmetric": judge(even)["ill_behaved"] & tried}
            for prefix, curves in (("", own), ("null_", other)):
                chosen, confirmed = split_sample(curves, judge)
                columns |= {f"{prefix}chosen": chosen.where(tried, 0),
                            f"{prefix}confirmed": confirmed.where(tried, 0)}
            sums = xr.Dataset(columns).sum(["learner", "scaling"]).to_dataframe().reset_index()
            counts.append(sums.assign(procedure=procedure,
                                      anchors=len(anchor_grid(per_doubling=per_doubling))))
    return pd.concat(counts, ignore_index=True)[["procedure", "anchors", "dataset", *COUNTS]]


def _judges(valid: xr.DataArray,
            per_doubling: int) -> Iterator[tuple[str, Callable[[xr.DataArray], xr.Dataset]]]:
    """Yield each procedure's name, and how it judges curves of a grid."""
    dense = valid.notnull().any(["outer", "inner"]).sum("anchor")
    yield OWN_PRICE, lambda curves: detect_shapes(curves, "corrected")
    yield DENSE_PRICE, lambda curves: corrected_for(detect_shapes(curves, "corrected"), dense)
    yield MAX_T, lambda curves: detect_shapes(curves, "max_t")


def split_sample(valid: xr.DataArray, judge: Callable[[xr.DataArray], xr.Dataset],
                 choose: int = CHOOSE) -> tuple[xr.DataArray, xr.DataArray]:
    """Call curves on some outer seeds, and test the same violation on the others.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.
    judge : callable
        Of curves; returns verdicts as `analysis.detect_shapes`.
    choose : int
        How many outer seeds choose.

    Returns
    -------
    chosen, confirmed : xarray.DataArray, dims (...)
        In how many of the splits, as a share, a curve is called, and called and confirmed: by
        a one-sided t-test of the same rise or bend over the other repeats, at 5 % (2.5 % each where
        it is called both non-monotone and non-convex).
    """
    seeds = set(range(valid.sizes["outer"]))
    chosen, confirmed = [], []
    for some in combinations(sorted(seeds), choose):
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
    return (sum(c.astype(float) for c in chosen) / len(chosen),
            sum(c.astype(float) for c in confirmed) / len(confirmed))


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
            "procedure": procedure, "anchors": anchors,
            "share": 100 * sums["called"] / sums["curves"], "low": 100 * float(low),
            "high": 100 * float(high), "null_share": 100 * sums["null"] / sums["curves"],
            "again_share": _percent(sums["confirmed"], sums["chosen"]),
            "n": int(sums["curves"]),
            "null_symmetric_share": 100 * sums["null_symmetric"] / sums["curves"],
            "confirmed_share": 100 * sums["confirmed"] / sums["curves"],
            "null_again_share": _percent(sums["null_confirmed"], sums["null_chosen"])})
    return pd.DataFrame(rows).sort_values(["procedure", "anchors"], ignore_index=True)


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else np.nan
