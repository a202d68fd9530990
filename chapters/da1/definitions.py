"""How many curves are ill-behaved by each definition: procedure, test, least size, denominator.

And peaks by local monotonicity, as the paper's Appendix H counts them, beside those of Section 4:
each segment between neighbouring anchors is classified by t-tests; a worsening that an improvement
follows makes a peak.
"""

from enum import IntEnum

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes import PROCEDURES, dense_lcdb10_cube, detect_shapes, on_lcdb10_anchors
from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.detect import VERDICT_OF
from analysis.shapes.significance import ALPHA, t_test
from analysis.shapes.verdicts import n_pairs, n_triples
from analysis.statistics.shares import share_interval

#: From the paper's test to the strictest; the rest of the registry is for other questions.
STRICTER = ("paired", "larger_error", "t_over_1.25", "shared", "nadeau_bengio")
#: How many comparisons a curve of so many anchors is corrected for, by kind of violation.
COMPARISONS = {"mono": n_pairs, "conv": n_triples, "dip": lambda n: n - 1, "peak": n_triples}
SIZES = (0.0, 0.01, 0.02, 0.05)  # error rate
LARGE = 0.02  # error rate: two percentage points


def shares_by_test(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Return the share of ill-behaved curves by the test, and by the size that counts.

    Tests are `STRICTER`; all else is as in the procedure "corrected". A significant violation
    counts from one of `SIZES` on.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        The curves to count, missing ones included.

    Returns
    -------
    pandas.DataFrame
        ``test, min_violation, ill_behaved``: percent of the curves tried; ``low, high``: 95 %
        interval from resampling families of datasets; ``of_existing, existing_low,
        existing_high``: the same of the curves that exist.
    """
    rows, there = [], tried & valid.notnull().any(["outer", "inner", "anchor"])
    for test in STRICTER:
        found = detect_shapes(valid, "corrected" if test == "paired" else test)
        for size in SIZES:
            ill = ((found["non_monotone"] & (found["violation_mono"] >= size))
                   | (found["non_convex"] & (found["violation_conv"] >= size)))
            rows.append((test, size, *share_of(ill, tried), *share_of(ill, there)))
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
        Of LCDB 1.0 there are two more definitions.

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
        from lab.calibration.recommend import called_by_recommended

        found = called_by_recommended()
        rows.append((f"most powerful test: {PROCEDURES[found['procedure']].title}",
                     *found[["rate", "low", "high"]], slots, "to look at single datasets"))
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
    segments = np.concatenate([_classify(curves, anchors) for curves in stack.blocks()])
    return xr.DataArray(segments.reshape(*stack.shape, len(anchors)), dims=[*stack.lead, "anchor"],
                        coords=stack.lead_coords() | {"anchor": valid["anchor"]})


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
    peaks = xr.zeros_like(segments.isel(anchor=0, drop=True), dtype=int)
    rising = peaks.astype(bool)
    for k in range(segments.sizes["anchor"]):
        segment = segments.isel(anchor=k, drop=True)
        over = rising & (segment == Segment.improvement)
        peaks = peaks + over
        rising = (rising & ~over) | (segment == Segment.worsening)
    return peaks


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
