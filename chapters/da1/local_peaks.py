"""Peaks by local monotonicity, as the paper's Appendix H counts them, beside those of Section 4.

Each segment between neighbouring anchors is classified by t-tests; a worsening that an improvement
follows makes a peak.
"""

from enum import IntEnum

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.significance import ALPHA, t_test


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
