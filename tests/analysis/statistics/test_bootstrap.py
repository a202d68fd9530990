"""The bootstrap over datasets: how often it covers clustered data, and against plain loops."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.statistics import bootstrap


def test_a_mean_of_clustered_values_is_covered_as_often_as_is_said():
    """In clusters of unequal size around their dataset's own level; with 50 datasets the percentile
    interval is somewhat narrow."""
    rng, covered = np.random.default_rng(11), []
    for _ in range(400):
        sizes = rng.integers(2, 15, 50)
        dataset = pd.Series(np.repeat([f"drawn {k}" for k in range(50)], sizes))
        level = np.repeat(3 + rng.standard_normal(50), sizes)
        values = pd.Series(level + 0.2 * rng.standard_normal(len(dataset)))
        low, high = bootstrap.mean_interval(values, dataset)
        covered.append(low <= 3 <= high)
    assert 0.90 <= np.mean(covered) <= 0.98


def test_scipys_bootstrap_agrees():
    rng = np.random.default_rng(6)
    above, below = rng.random(60), rng.integers(1, 9, 60)
    scipys = stats.bootstrap(
        (above, below), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True,
        n_resamples=4000, method="percentile", random_state=1)
    ends = bootstrap.ratio_of_sums_interval(above, below, None)
    width = np.ptp(scipys.confidence_interval)
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=0.06 * width)


def test_resamples_that_are_undefined_are_left_out():
    resampled = np.column_stack([np.r_[np.arange(1001.0), [np.nan] * 50], np.full(1051, np.nan)])
    low, high = bootstrap.percentile_interval(resampled)
    assert (low[0], high[0]) == (25, 975) and np.isnan([low[1], high[1]]).all()


@pytest.mark.parametrize("n", [1, 5, 15, 112])
def test_shares_of_none_and_of_all_have_clopper_and_pearsons_ends(n):
    none, every = (stats.binomtest(k, n).proportion_ci() for k in (0, n))
    low, high = bootstrap.exact_if_few(np.array([0.0, 40.0, 100.0]), np.array([0.0, 30.0, 100.0]),
                                     np.array([0.0, 50.0, 100.0]), n)
    assert low == pytest.approx([0, 30, 100 * every.low])
    assert high == pytest.approx([100 * none.high, 50, 100])


def test_near_duplicates_are_drawn_together():
    times = bootstrap.resample_datasets([61, 54, "iris", "alone", "keel:vehicle"], n_resamples=300)
    assert (times[:, 0] == times[:, 2]).all() and (times[:, 1] == times[:, 4]).all()
    np.testing.assert_array_equal(times[:, [0, 1, 3]], bootstrap.resample_units(3, n_resamples=300))


def test_a_second_version_of_a_dataset_makes_no_interval_narrower():
    values = pd.Series([1.0, 4, 2, 8, 5])
    once = bootstrap.mean_interval(values, pd.Series(["iris", "a", "b", "c", "d"]))
    twice = bootstrap.mean_interval(pd.concat([values, values[:1]]), pd.Series(
        ["iris", "a", "b", "c", "d", "iris_uci"]))
    assert np.isnan(bootstrap.mean_interval(values[:2], pd.Series([61, "sklearn:iris"]))).all()
    assert twice[1] - twice[0] > 0.9 * (once[1] - once[0])
