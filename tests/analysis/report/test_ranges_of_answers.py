"""Ranges lie around what was measured; a learner's last size is one that enough folds reached."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from analysis.report.answers import _ranges
from analysis.report.measured import Measured, _last
from analysis.report.uncertainty import BOUNDED, ENDLESS

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


@pytest.mark.parametrize(("folds", "last"), [(4, 64), (2, 64), (1, 32)])
def test_a_size_that_half_of_the_folds_reached_is_the_last(folds, last):
    errors = np.full((1, 4, 1, 2), 0.2)
    errors[0, folds:, 0, 1] = np.nan
    assert _last(xr.DataArray(errors, dims=DIMS, coords={"anchor": [32.0, 64.0]})[0]) == last
