"""Peaks between neighbouring sizes, as the paper's Appendix H counts them.

Each segment between neighbouring anchors is classified by t-tests; a worsening that an improvement
follows makes a peak. Section 4 looks at all sizes at once: `analysis.detect_shapes`.
"""

from enum import IntEnum

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.detect import detect_shapes
from analysis.shapes.significance import ALPHA, t_test


class Segment(IntEnum):
    """What a curve does from one anchor to the next."""

    worsening = -1
    insignificant = 0
    improvement = 1


def local_segments(valid: xr.DataArray, alpha: float = ALPHA) -> xr.DataArray:
    """Classify each curve's segments between neighbouring anchors.

    Paired t-tests in both directions over the repeats that have both anchors, at a level of α
    divided by the curve's number of segments. (The paper's Appendix H says that it does not correct
    for their number; its code does.) A change that is no more than rounding is insignificant.

    Parameters
    ----------
    valid : DataArray
        As for `detect_shapes`.
    alpha : float
        Significance level of a curve.

    Returns
    -------
    DataArray of float
        Over the remaining dims and ``anchor``: the `Segment` from that anchor to the curve's next
        one; NaN where the curve has no such anchor or no next one.
    """
    stack = CurveStack(valid)
    anchors = valid["anchor"].values
    segments = np.concatenate([_classify(curves, anchors, alpha) for curves in stack.blocks()])
    return xr.DataArray(segments.reshape(*stack.shape, len(anchors)), dims=[*stack.lead, "anchor"],
                        coords=stack.lead_coords() | {"anchor": valid["anchor"]})


def _classify(curves: Curves, anchors: np.ndarray, alpha: float) -> np.ndarray:
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
            kind[real & (p < alpha)] = segment
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


def peaks_by_method(valid: xr.DataArray, alpha: float = ALPHA) -> pd.DataFrame:
    """Return each learner's share of curves with a peak, by both methods.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    alpha : float
        Significance level of each curve's verdict.

    Returns
    -------
    pandas.DataFrame
        ``learner, curves`` (not missing); percent of them: ``section_4`` (by the corrected
        procedure), ``appendix_h`` (a
        significant worsening between neighbours that an improvement follows), ``both``.
    """
    there = valid.notnull().any(["outer", "inner", "anchor"])
    peaking = detect_shapes(valid, "corrected", alpha)["peaking"]
    local = count_peaks(local_segments(valid, alpha)) > 0
    shares = {"section_4": peaking, "appendix_h": local, "both": peaking & local}
    table = pd.DataFrame({name: 100 * (found.where(there)).mean("dataset").to_series()
                          for name, found in shares.items()})
    table.insert(0, "curves", there.sum("dataset").to_series())
    table = table.rename_axis("learner").reset_index()
    return table.sort_values("section_4", ascending=False, ignore_index=True, kind="stable")
