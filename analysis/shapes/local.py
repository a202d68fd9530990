"""Peaks between neighbouring sizes, as the paper's Appendix H counts them.

Each segment between neighbouring anchors is classified by t-tests; a worsening that an improvement
follows makes a peak. Section 4 looks at all sizes at once: `analysis.detect_shapes`.
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.detect import detect_shapes
from analysis.shapes.significance import ALPHA, t_test


def local_peaks(valid: xr.DataArray, alpha: float = ALPHA) -> xr.DataArray:
    """Tell which curves get worse from one anchor to the next, and better again later on.

    Parameters
    ----------
    valid : xarray.DataArray
        As for `analysis.detect_shapes`.
    alpha : float
        Significance level. One-sided paired t-tests over the repeats, both ways, are corrected for
        the number of segments; what may be rounding is insignificant.

    Returns
    -------
    xarray.DataArray of bool
        Over the remaining dims.
    """
    stack = CurveStack(valid)
    dims, found = stack.unstack(np.concatenate([_peaks(c, alpha) for c in stack.blocks()]))
    return xr.DataArray(found, dims=dims, coords=stack.lead_coords())


def _peaks(curves: Curves, alpha: float) -> np.ndarray:
    worse, peak = np.zeros((2, len(curves)), dtype=bool)
    for k in range(curves.means.shape[1] - 1):
        rise = curves.values[:, :, k + 1] - curves.values[:, :, k]
        up, down = (t_test(change) for change in (rise, -rise))
        real = np.abs(up.mean) > curves.rounding
        peak |= worse & real & (down.p * (curves.counts - 1) < alpha)
        worse |= real & (up.p * (curves.counts - 1) < alpha)
    return peak


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
    local = local_peaks(valid, alpha)
    shares = {"section_4": peaking, "appendix_h": local, "both": peaking & local}
    table = pd.DataFrame({name: 100 * (found.where(there)).mean("dataset").to_series()
                          for name, found in shares.items()})
    table.insert(0, "curves", there.sum("dataset").to_series())
    table = table.rename_axis("learner").reset_index()
    return table.sort_values("section_4", ascending=False, ignore_index=True, kind="stable")
