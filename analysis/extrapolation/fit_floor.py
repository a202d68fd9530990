"""How small the error of a fit can get: what a curve's shape forbids any monotone model."""

import numpy as np
import xarray as xr
from scipy.optimize import isotonic_regression


def violation_floor(violation: xr.DataArray, n_anchors: xr.DataArray) -> xr.DataArray:
    """Return the mean squared error that a violation forces on every model without it.

    Parameters
    ----------
    violation : DataArray, dims (...)
        Monotonicity or convexity violation of each curve, in units of the curve.
    n_anchors : DataArray, dims (...)
        Number of anchors fitted.

    Returns
    -------
    DataArray, dims (...)
        ``violation**2 / (2 * n_anchors)``; NaN without anchors.

    Notes
    -----
    Where a curve rises by v from one anchor to a later one, a model that never rises is off by r
    at the first and s at the second with r + s >= v, so r² + s² >= v² / 2. Where a curve exceeds
    a straight line between two of its points by v, a convex model is off by residuals with
    r - p s - (1 - p) t >= v, and by Cauchy and Schwarz their squares sum to at least
    v² / (1 + p² + (1 - p)²), which is at least v² / 2 too.
    """
    return violation**2 / (2 * n_anchors.where(n_anchors > 0))


def monotone_floor(curves: xr.DataArray) -> xr.DataArray:
    """Return the smallest mean squared error that any monotone function reaches on each curve.

    POW4, MMF4 and WBL4 are monotone for all parameters that have finite values on the anchors,
    rising or falling; none of them can get below.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.

    Returns
    -------
    DataArray, dims (...)
        The smaller one of a falling and a rising isotonic regression's errors; NaN without
        anchors.
    """
    return xr.apply_ufunc(_floor, curves, input_core_dims=[["anchor"]], vectorize=True)


def _floor(curve: np.ndarray) -> float:
    seen = curve[np.isfinite(curve)]
    if not len(seen):
        return np.nan
    fitted = (isotonic_regression(seen, increasing=rising).x for rising in (False, True))
    return min(((seen - values) ** 2).mean() for values in fitted)
