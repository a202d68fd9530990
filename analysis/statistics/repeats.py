"""The mean of a curve over its repeats: how far it spreads, and when two count as equal."""

import numpy as np
import xarray as xr

#: A smaller difference of two means, or range of values, is rounding: far above what floating point
#: does to an error rate, far below what one row makes.
TIE = 1e-12
REPEATS = ("outer", "inner")


def standard_error(curve: xr.DataArray) -> xr.DataArray:
    """Return the standard error of the mean over the repeats; NaN with fewer than two.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, ...)

    Returns
    -------
    xarray.DataArray
        Over the remaining dims, in the unit of the curve.

    Notes
    -----
    The 25 repeats share one dataset and are not independent, so this is the paper's measure of
    spread (Table 1), not a valid standard error.
    """
    count = curve.count(REPEATS)
    return curve.std(REPEATS, ddof=1).where(count > 1) / np.sqrt(count.where(count > 0))
