"""Who will be ahead with more rows, on curves whose course is known."""

import numpy as np
import pytest
from curve_examples import labelled

from analysis.selection import forecast_order
from analysis.selection.next_order import FITTED, draw_errors, joint_moments, pair_chances

SIZES = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256])


def curves(*means, shared=0.0, own=0.0, seed=0, names=None):
    """Return curves of one dataset: means by size, noise that learners share and noise of each."""
    rng = np.random.default_rng(seed)
    values = np.array([np.broadcast_to(mean, len(SIZES)) for mean in means])[:, None, None]
    values = values + shared * rng.normal(size=(1, 5, 5, len(SIZES))) + own * rng.normal(
        size=(len(means), 5, 5, len(SIZES)))
    return labelled(values.clip(0, 1), "learner outer inner anchor", anchor=SIZES,
                    learner=names or [f"own{k}" for k in range(len(means))])


def chance(found, times):
    return found.pairs.set_index("times")["chance"][times]


def test_a_learner_that_falls_is_expected_to_overtake_one_that_stays():
    flat, falling = 0.22, 0.06 + 3.0 / SIZES**0.5  # 0.2475 at 256 rows, 0.107 at 4,096
    found = forecast_order(curves(flat, falling, own=0.005))
    assert found.size == 256
    assert chance(found, 2) > max(chance(found, 4), chance(found, 16))  # of the flat one
    assert chance(found, 16) < 0.25
    assert (found.staying["stays"] == "own0").all()
    assert found.staying["regret"].is_monotonic_increasing and found.staying["regret"][0] >= 0
    assert found.lowest.query("times == 16")["learner"].tolist() == ["own1", "own0"]


def test_identical_learners_are_ahead_as_often_as_behind():
    one = curves(0.1 + 1 / SIZES, own=0.01)
    both = one.isel(learner=[0, 0]).assign_coords(learner=["a", "b"])
    found = forecast_order(both)
    assert found.pairs["chance"].to_numpy() == pytest.approx(0.5)
    assert found.lowest["chance"].to_numpy() == pytest.approx(0.5, abs=0.03)
    assert found.lowest.groupby("times")["chance"].sum().to_numpy() == pytest.approx(1)


def test_noise_that_learners_share_leaves_their_order_sure():
    at = (0.20 + 0 * SIZES, 0.22 + 0 * SIZES)
    together, apart = (chance(forecast_order(curves(*at, **noise)), 2)
                       for noise in ({"shared": 0.06, "own": 0.002}, {"own": 0.06}))
    assert together > apart


def test_chances_are_those_of_the_draws():
    rng = np.random.default_rng(0)
    level = rng.uniform(0.1, 0.3, 5)
    repeats = level[:, None] + 0.02 * rng.normal(size=(5, 25))
    quantiles = np.sort(rng.uniform(0.05, 0.35, (5, 2, 7)), axis=2)
    centre, covariance = joint_moments(level, repeats, quantiles, np.array([1.0, 4.0]))
    drawn = draw_errors(centre, covariance, 20_000, 0)
    ahead = (drawn[..., :, None] < drawn[..., None, :]).mean(0)
    off = ~np.eye(5, dtype=bool)
    assert ahead[:, off] == pytest.approx(pair_chances(centre, covariance)[:, off], abs=0.02)


def test_between_two_multiples_what_was_fitted_is_interpolated():
    fitted = {1.0: (0.0, 1.0, 0.0, 0.0), 3.0: (1.0, 1.0, 0.0, 0.0)}
    level = np.array([0.09, 0.09])
    quantiles = np.array([0.04, 0.0])[:, None, None] * np.ones((2, 1, 7))
    centre, _ = joint_moments(level, level[:, None], quantiles, np.array([2.0]), fitted)
    # roots of .3 change by −.1 and −.3: by −.2 together, and by ±.1 of which half counts
    assert centre == pytest.approx(np.array([[0.15, 0.05]]))
    assert sorted(FITTED) == list(FITTED)


def test_what_cannot_be_told_is_refused():
    some = curves(0.2, 0.3, own=0.01)
    with pytest.raises(ValueError, match="1 learners have an error"):
        forecast_order(some.isel(learner=[0]))
    with pytest.raises(ValueError, match="above 1"):
        forecast_order(some, times=(1, 2))
    late = some.where((some["learner"] != "own1") | (some["anchor"] < 256))
    with pytest.raises(ValueError, match="1 learners have an error"):
        forecast_order(late)


def test_one_measurement_each_is_enough():
    found = forecast_order(curves(0.1, 0.4).isel(outer=0, inner=0, drop=True), times=[2])
    assert chance(found, 2) > 0.95
