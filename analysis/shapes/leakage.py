"""What it changes to fit the preprocessor on all data: a test along the curve (Appendix B)."""

import numpy as np
import xarray as xr
from scipy import stats

from analysis.statistics.summary import REPEATS, TIE

ALPHA = 0.05


def leakage_differences(valid: xr.DataArray, complete: bool = False) -> xr.Dataset:
    """Compare every curve with leakage against the same curve without it (Table 5).

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        Error rates; ``leakage`` has "no" and "yes". NaN where a repeat has no value.
    complete : bool
        Whether to leave out anchors at which a repeat has no value; the paper does not.

    Returns
    -------
    xarray.Dataset over the remaining dims
        ``compared`` (bool): at some anchor two repeats have both values. ``different`` (bool): at
        any anchor a paired t-test over the repeats is significant, its p-value times the number
        of anchors being below 0.05. ``p``: the smallest, so corrected; NaN where untested. Also
        over ``anchor``: ``difference``, the mean of "yes" minus "no" in error rate; below 0 where
        leakage makes the curve look better.

    Notes
    -----
    Where no repeat differs there is nothing to test, and no difference. A difference that is the
    same in all repeats, but not 0, has p = 0.
    """
    change = valid.sel(leakage="yes", drop=True) - valid.sel(leakage="no", drop=True)
    n = change.count(REPEATS)
    if complete:
        change = change.where(n == change.sizes["outer"] * change.sizes["inner"])
        n = change.count(REPEATS)
    mean = change.mean(REPEATS)
    error = change.std(REPEATS, ddof=1) / n.where(n > 1) ** 0.5
    moved = (abs(mean) > TIE) & (n > 1)
    t = (abs(mean) / error.where(error > TIE, 0)).where(moved).compute()
    p = 2 * xr.apply_ufunc(stats.t.sf, t, n.compute() - 1) * (n > 0).sum("anchor")
    p = p.clip(max=1)
    return xr.Dataset({
        "compared": (n > 1).any("anchor"), "different": (p < ALPHA).any("anchor"),
        "p": p.min("anchor"), "difference": mean}).compute()


def swap_leakage(valid: xr.DataArray, seed: int = 0) -> xr.DataArray:
    """Return the curves with leakage "no" and "yes" swapped at random in each repeat.

    What there would be to find if leakage changed nothing on average: the differences keep their
    size and their dependence along the curve, but not their direction.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        As for `leakage_differences`.
    seed : int
        Of the signs, one per repeat of each curve.

    Returns
    -------
    xarray.DataArray
        Of the same dims.
    """
    no, yes = valid.sel(leakage="no", drop=True), valid.sel(leakage="yes", drop=True)
    template = no.isel(anchor=0, drop=True)
    flip = template.copy(data=np.random.default_rng(seed).random(template.shape) < 0.5)
    swapped = xr.concat([xr.where(flip, yes, no), xr.where(flip, no, yes)], "leakage")
    return swapped.assign_coords(leakage=["no", "yes"])
