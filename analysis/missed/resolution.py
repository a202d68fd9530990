"""What a denser grid of anchors finds on curves whose repeats are known."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.counted import NOT_COUNTED
from analysis.intervals.bootstrap import mean_interval
from analysis.missed.from_means import SPARSE
from analysis.shapes import dense_lcdb10_cube, detect_shapes

GRIDS = {
    "all anchors": lambda valid: valid,
    "one anchor in four": lambda valid: valid.sel(anchor=np.isin(valid["anchor"], SPARSE)),
    "one in four, interpolated back": lambda valid: dense_lcdb10_cube(
        valid.sel(anchor=np.isin(valid["anchor"], SPARSE))),
}


def resolution(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Count ill-behaved curves on LCDB 1.1's grid, and on LCDB 1.0's.

    The first and the last row pay for as many comparisons, so that they differ in resolution alone.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates on LCDB 1.1's anchors.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        Which curves there are, from `analysis.databases.gathered.tried_curves`.

    Returns
    -------
    pandas.DataFrame
        ``grid`` in words, ``curves, ill_behaved`` (how many), ``percent``, then ``change, low,
        high``: points against all anchors, with a 95 % interval from resampling datasets.
    """
    kept = tried & ~tried["learner"].isin(NOT_COUNTED)
    found, rows = {}, []
    for grid, thin in GRIDS.items():
        verdicts = detect_shapes(thin(valid), "corrected")["ill_behaved"].where(kept)
        found[grid] = verdicts.to_series().dropna().astype(float)
        change = 100 * (found[grid] - found["all anchors"])
        low, high = mean_interval(change, change.index.get_level_values("dataset").to_series())
        rows.append({"grid": grid, "curves": len(change), "ill_behaved": int(found[grid].sum()),
                     "percent": 100 * found[grid].mean(), "change": change.mean(),
                     "low": low, "high": high})
    return pd.DataFrame(rows)
