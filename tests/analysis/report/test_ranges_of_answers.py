"""Ranges lie around what was measured; a learner's last size is one that enough folds reached."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.stats import beta

from analysis.report import forecast_curves
from analysis.report.answers import _chances, _enough, _ranges, _shapes, answer
from analysis.report.measured import Measured, _last, corrected_error, measured_points
from analysis.report.metrics import BOUNDED, ENDLESS

DIMS = ("learner", "outer", "inner", "anchor")


def measured(now, tested=None):
    draws = np.full((200, 1), 0.2)
    return Measured(xr.DataArray(np.full((1, 1, 1, 1), now), dims=DIMS, coords={
        "learner": ["mine"], "anchor": [64.0]}), np.array([64]), np.array([now]), draws,
        tested=tested)


@pytest.mark.parametrize("now", [0.01, 0.1, 0.2, 0.21, 0.9])
def test_of_a_table_the_middle_stays_within_the_draws_and_never_rises(now):
    draws = np.random.default_rng(0).normal([0.2, 0.15, 0.17], 0.01, (200, 3))
    error, low, high = _ranges(draws, measured(now), 0)
    quantiles = np.quantile(draws, [0.05, 0.95], axis=0)
    assert (low <= error).all() and (error <= high).all() and (np.diff(error) <= 0).all()
    assert quantiles[0, 0] <= error[0] <= quantiles[1, 0]
    assert low[1] == min(quantiles[0, 1], error[1]) and high[1] == max(quantiles[1, 1], error[1])


@pytest.mark.parametrize("now", [0.1, 0.9])
def test_of_points_the_range_reaches_to_what_was_measured(now):
    draws = np.random.default_rng(0).normal([0.2, 0.15], 0.01, (200, 2))
    error, low, high = _ranges(draws, measured(now, {"mine": 100.0}), 0)
    assert error[0] == pytest.approx(now, rel=0.02) and error[1] == np.median(draws[:, 1])
    assert (low <= error).all() and (error <= high).all()


@pytest.mark.parametrize(("always", "stretch", "learnt"), [
    (0.4, BOUNDED, 1), (0.21, BOUNDED, 0.3 + 0.7 * 0.01 / 0.021), (0.19, BOUNDED, 0.3),
    (np.nan, BOUNDED, 1), (0.19, ENDLESS, 1)])
def test_changes_count_as_far_as_the_best_learner_saves_something(always, stretch, learnt):
    one = replace(measured(0.2), baseline=always, stretch=stretch)
    assert one.learnt == pytest.approx(learnt)


def test_where_a_draw_of_always_the_same_errs_by_nothing_nothing_is_saved():
    curve = measured_points(xr.DataArray([[[0.3, 0.25, 0.2]]], dims=("learner", "repeat", "anchor"),
                                         coords={"learner": ["mine"], "anchor": [32.0, 64, 128]}),
                            {"mine": 100.0})
    draws = np.where(np.arange(len(curve.draws)) % 4, curve.draws[:, 0], 0)
    curve = replace(curve, baseline=0.4, baseline_draws=2 * draws, draws=draws[:, None])
    now = answer(curve).now.iloc[0]
    assert np.isfinite(now[["saves", "saves_low", "saves_high"]].astype(float)).all()


@pytest.mark.parametrize(("folds", "last"), [(4, 64), (2, 64), (1, 32)])
def test_a_size_that_half_of_the_folds_reached_is_the_last(folds, last):
    errors = np.full((1, 4, 1, 2), 0.2)
    errors[0, folds:, 0, 1] = np.nan
    assert _last(xr.DataArray(errors, dims=DIMS, coords={"anchor": [32.0, 64.0]})[0]) == last


def test_chances_to_be_best_sum_to_one_and_equal_learners_share():
    assert _chances(np.array([[1, 1, 2], [1, 1, 1], [2, 3, 1.0], [1, 2, 3]])).tolist() == [
        (1 / 2 + 1 / 3 + 1) / 4, (1 / 2 + 1 / 3) / 4, (1 / 3 + 1) / 4]


@pytest.mark.parametrize(("sizes", "asked"), [
    ([64, 128, 256], [64, 128]), ([100, 199], [100]), ([100, 198], [])])
def test_a_doubling_is_asked_about_up_to_the_largest_size(sizes, asked):
    front = np.tile(np.linspace(0.3, 0.1, len(sizes)), (5, 1))
    assert _enough(front, np.array(sizes), 0.01)["size"].tolist() == asked


@pytest.mark.parametrize(("largest", "where"), [
    (128, "you are there"), (179, "you are there"), (180, "you are past it")])
def test_a_peak_is_past_from_1_4_times_its_rows_on(largest, where):
    peak = np.array([0.30, 0.25, 0.45, 0.2, 0.15])
    errors = peak + np.random.default_rng(0).normal(0, 0.005, (1, 8, 1, 5))
    one = replace(measured(0.15), errors=xr.DataArray(errors, dims=DIMS, coords={
        "learner": ["mine"], "outer": range(8), "inner": [0], "anchor": [32.0, 64, 128, 256, 512]}))
    found = _shapes(one, ["mine"], largest)
    assert found["at"].tolist() == [128] and f"128 rows; {where}" in found["words"].iloc[0]


def test_points_tested_on_rows_have_jeffreys_ranges():
    errors = xr.DataArray([[[0.3, 0.0]]], dims=("learner", "repeat", "anchor"),
                          coords={"learner": ["mine"], "anchor": [32.0, 64.0]})
    draws = measured_points(errors, {"mine": 20}).draws[:, 0]
    for share in (0.5, 0.95):
        assert np.quantile(draws, share) == pytest.approx(beta.ppf(share, 0.5, 20.5), rel=0.15)


def test_the_error_of_a_mean_over_splits_is_nadeau_and_bengios():
    # a tenth is held out twice: 0.1 of the rows tested on, 0.81 trained on; variance 0.01
    assert corrected_error(np.array([0.1, 0.2, 0.3])) == pytest.approx(
        np.sqrt((1 / 3 + 0.1 / 0.81) * 0.01))
    assert np.isnan(corrected_error(np.array([0.1])))


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
