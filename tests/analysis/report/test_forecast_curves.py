"""The report's forecast of curves of known learners."""

import numpy as np
import pytest
import xarray as xr

from analysis.report import forecast_curves

SIZES = np.array([2**k for k in range(4, 13)])


@pytest.mark.parametrize("numbers", [False, True])
def test_a_fall_goes_on_within_ranges_that_widen(numbers):
    rng = np.random.default_rng(0)
    true = 0.3 * (SIZES / 16) ** -0.15
    errors = true * np.exp(0.01 * rng.normal(size=(2, 5, 2, len(SIZES))))
    curves = xr.DataArray(errors, dims=("learner", "outer", "inner", "anchor"), coords={
        "learner": ["LightGBM", "KNN"], "anchor": SIZES, "dataset": "d"})
    found = forecast_curves(curves, [8192, 65536], numbers)
    assert found.dims == ("learner", "size", "quantile") and set(found.coords) == set(found.dims)
    low, middle, high = (found.sel(quantile=level) for level in (0.05, 0.5, 0.95))
    come = 0.3 * (found["size"] / 16) ** -0.15
    assert ((low < come) & (come < high)).all() and (middle < true[-1]).all()
    width = np.log(high / low)
    assert (width.sel(size=65536) > width.sel(size=8192)).all()
