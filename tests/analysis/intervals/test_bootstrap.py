"""The bootstrap over datasets: how often it covers clustered data, and against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.intervals.bootstrap import (
    mean_interval,
    percentile_interval,
    ratio_of_sums,
    ratio_of_sums_interval,
    resample_datasets,
)

N, DRAWS = 50, 400  # datasets, simulated samples


def clustered(rng):
    """Values in clusters of unequal size around their dataset's own level; their mean is 3."""
    sizes = rng.integers(2, 15, N)
    dataset = np.repeat(np.arange(N), sizes)
    level = 3 + rng.standard_normal(N)
    return level[dataset] + 0.2 * rng.standard_normal(len(dataset)), dataset


def share_covered(interval, truth, draws=DRAWS):
    """Return how often `interval`, of clustered values and their datasets, holds the truth."""
    rng = np.random.default_rng(11)
    ends = np.array([interval(*clustered(rng)) for _ in range(draws)])
    return np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))


def near_its_level(covered):
    """95 %, or a little less: with 50 datasets the percentile interval is somewhat narrow."""
    return 0.90 <= covered <= 0.98


def test_a_mean_of_clustered_values_is_covered_as_often_as_is_said():
    covered = share_covered(
        lambda v, d: mean_interval(pd.Series(v), pd.Series(d)), truth=3)
    assert near_its_level(covered), covered


def test_taking_clustered_values_for_independent_would_not_be():
    covered = share_covered(
        lambda v, d: mean_interval(pd.Series(v), pd.Series(np.arange(len(v)))), truth=3, draws=60)
    assert covered < 0.75


def test_a_ratio_of_sums_is_covered_as_often_as_is_said():
    def interval(values, dataset):
        return ratio_of_sums_interval(np.bincount(dataset, values), np.bincount(dataset))

    assert near_its_level(share_covered(interval, truth=3))


def test_of_independent_values_it_is_the_t_interval():
    values = np.random.default_rng(4).standard_normal(400)
    ends = mean_interval(pd.Series(values), pd.Series(np.arange(400)))
    expected = stats.t.interval(0.95, 399, values.mean(), stats.sem(values))
    assert ends == pytest.approx(expected, abs=0.015)


def test_scipys_bootstrap_agrees():
    rng = np.random.default_rng(6)
    above, below = rng.random(60), rng.integers(1, 9, 60)
    scipys = stats.bootstrap(
        (above, below), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True,
        n_resamples=4000, method="percentile", random_state=1)
    ends = ratio_of_sums_interval(above, below)
    width = np.ptp(scipys.confidence_interval)
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=0.06 * width)


def test_an_interval_is_of_its_percentiles_low_end_first():
    resampled = np.random.default_rng(0).permutation(np.arange(1001.0))
    assert [float(end) for end in percentile_interval(resampled)] == [25, 975]


def test_resamples_that_are_undefined_are_left_out():
    resampled = np.column_stack([np.r_[np.arange(1001.0), [np.nan] * 50], np.full(1051, np.nan)])
    low, high = percentile_interval(resampled)
    assert (low[0], high[0]) == (25, 975) and np.isnan([low[1], high[1]]).all()


@given(arrays(float, (4, 2), elements=st.integers(0, 9).map(float)),
       arrays(float, (4, 2), elements=st.integers(0, 3).map(float)))
def test_ratios_against_a_loop(above, below):
    times = resample_datasets(4, seed=3, repeats=20)
    found = ratio_of_sums(above, below, times)
    for r, row in enumerate(times.astype(int)):
        drawn = np.repeat(np.arange(4), row)
        for k in range(2):
            total = sum(below[d, k] for d in drawn)
            expected = sum(above[d, k] for d in drawn) / total if total else np.nan
            assert found[r, k] == pytest.approx(expected, nan_ok=True)


def test_one_denominator_serves_all_columns():
    above, below = np.arange(24.0).reshape(4, 3, 2), np.array([1.0, 2, 0, 5])
    times = resample_datasets(4, repeats=5)
    both = ratio_of_sums(above, np.broadcast_to(below[:, None, None], above.shape), times)
    np.testing.assert_allclose(ratio_of_sums(above, below, times), both)


def test_resamples_draw_each_dataset_as_often():
    times = resample_datasets(7, seed=2, repeats=5000)
    assert (times.sum(axis=1) == 7).all()
    np.testing.assert_allclose(times.mean(axis=0), 1, atol=0.05)
    np.testing.assert_allclose(times.var(axis=0), 6 / 7, rtol=0.08)
    assert times is resample_datasets(7, seed=2, repeats=5000)
    assert not np.array_equal(times, resample_datasets(7, seed=3, repeats=5000))


def test_one_dataset_says_nothing_of_others():
    low, high = mean_interval(pd.Series([1.0, 2.0]), pd.Series(["a", "a"]))
    assert np.isnan(low) and np.isnan(high)
