"""The training-set size that a target takes: against plain loops, and on curves that are known."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.extrapolation.required import end_of_part, first_reach, required_sizes

SIZES = np.round(16 * 2 ** (np.arange(15) / 2)).astype(int)
points = st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), min_size=2, max_size=15)


def _curve(values) -> xr.DataArray:
    return xr.DataArray(values, dims="anchor", coords={"anchor": SIZES[: len(values)]})


def _walk(values, target) -> float:
    """Go along the curve until it is low enough."""
    before = None
    for size, value in zip(SIZES, values, strict=False):
        if np.isnan(value):
            continue
        if value <= target:
            if before is None:
                return size
            part = (before[1] - target) / (before[1] - value)
            return np.exp(np.log(before[0]) + part * np.log(size / before[0]))
        before = size, value
    return np.nan


@settings(max_examples=80, deadline=None)
@given(points, st.floats(0, 1))
def test_first_reach_is_where_a_walk_along_the_curve_ends(values, target):
    found = first_reach(_curve(values), xr.DataArray(target)).item()
    assert found == pytest.approx(_walk(values, target), nan_ok=True)


def test_part_ends_at_the_last_anchor_of_the_share_that_a_curve_has():
    curve = _curve([0.5] * 15).where(lambda c: c["anchor"] != SIZES[2])
    assert end_of_part(curve, 0.5) == SIZES[7]  # 7 of the 14 that are there
    assert np.isnan(end_of_part(_curve([0.5] * 7), 0.5))  # 3 are too few


def test_size_is_right_where_the_curve_is_of_the_model():
    level = xr.DataArray([0.0, 0.1], dims="curve", coords={"curve": ["to zero", "to 0.1"]})
    curves = level + xr.DataArray(SIZES**-0.4, dims="anchor", coords={"anchor": SIZES})
    table = required_sizes(curves, ["POW3", "POW4"])
    assert len(table) == 4 and (table["outcome"] == "both").all()
    assert np.allclose(table["doublings"], 0, atol=1e-3)
    assert (table["target"] / (level.sel(curve=table["curve"].to_numpy()).values
                               + table["now"] ** -0.4)).to_numpy() == pytest.approx(0.9)


def test_outcomes_tell_who_reaches_the_target():
    fall, stay = 0.1 + SIZES**-0.5, np.full(15, 0.1 + 16**-0.5)
    late = np.where(np.arange(15) > 6, 0.1, stay)
    stops = np.where(np.arange(15) > 6, fall[6], fall)
    curves = xr.DataArray([fall, stay, late, stops], dims=("curve", "anchor"), coords={
        "curve": ["both", "neither", "only in truth", "only predicted"], "anchor": SIZES})
    table = required_sizes(curves, ["POW3"])
    assert list(table["outcome"]) == list(table["curve"])
    assert (table["doublings"].notna() == (table["outcome"] == "both")).all()


def test_short_curves_are_not_listed():
    assert required_sizes(_curve(SIZES[:7] ** -0.5).expand_dims(curve=[0]), ["POW3"]).empty
