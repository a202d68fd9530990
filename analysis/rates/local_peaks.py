"""Peaks by local monotonicity, as the paper's Appendix H counts them, beside those of Section 4."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.intervals.repeats import REPEATS
from analysis.shapes import count_peaks, local_segments
from analysis.shapes.local import Segment


def clearest_peak(valid: xr.DataArray) -> tuple[int | str, str]:
    """Return the dataset and learner of the curve with the clearest peak by Appendix H.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    tuple of dataset and learner
        Of the curves with a peak, the one whose mean worsens and improves by most: the lesser of
        the two, summed over its significant steps.
    """
    segments = local_segments(valid)
    mean = valid.mean(REPEATS)
    step = mean.shift(anchor=-1) - mean
    rise = step.where(segments == Segment.worsening).sum("anchor")
    fall = -step.where(segments == Segment.improvement).sum("anchor")
    lesser = np.minimum(rise, fall).where(count_peaks(segments) > 0, -1)
    first = lesser.stack(curve=("dataset", "learner"))
    dataset, learner = first["curve"].values[int(first.argmax("curve"))]
    return dataset, str(learner)


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
    return table.sort_values("section_4", ascending=False, ignore_index=True)
