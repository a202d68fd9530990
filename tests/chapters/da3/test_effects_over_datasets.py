"""Intervals over datasets, against resampling by hand and against what is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.bootstrap import resample_datasets
from chapters.da3 import effects


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_weighted_statistics_are_those_of_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 12).astype(float), rng.normal(size=12)
    weights = rng.integers(0, 4, (3, 12)).astype(float)
    weights[:, :6] += 1
    ranks = effects._rank_correlations(x, y, weights)
    slopes = effects._slopes(x, y, weights)
    for k, w in enumerate(weights.astype(int)):
        often_x, often_y = np.repeat(x, w), np.repeat(y, w)
        if np.ptp(often_x) > 0:
            assert ranks[k] == pytest.approx(stats.spearmanr(often_x, often_y).statistic)
            assert slopes[k] == pytest.approx(stats.linregress(often_x, often_y).slope)


def test_intervals_widen_where_curves_of_a_dataset_are_alike():
    rng = np.random.default_rng(0)
    size, own = rng.uniform(0.01, 0.2, 60), rng.normal(0, 1, 60)
    errors = np.exp(-8 + 9 * size + own)
    alone = effects.clustered_relation(errors, size, np.arange(60))
    alike = effects.clustered_relation(np.repeat(errors, 5), np.repeat(size, 5),
                                            np.repeat(np.arange(60), 5))
    single = effects.clustered_relation(np.repeat(errors, 5), np.repeat(size, 5),
                                             np.arange(300))
    for name in ("spearman", "slope"):
        width = [t[f"{name}_high"] - t[f"{name}_low"] for t in (alone, alike, single)]
        assert width[0] == pytest.approx(width[1], rel=1e-6) and width[2] < 0.7 * width[1]


def test_the_gap_s_interval_resamples_datasets():
    rng = np.random.default_rng(1)
    at, ill = np.repeat(np.arange(20), 6), rng.random(120) < 0.4
    dataset = np.array([f"drawn {k:02}" for k in at])
    log = rng.normal(size=120) + 0.8 * ill
    found = effects.clustered_gap(log, ill, dataset)
    draws = []
    for times in resample_datasets(np.unique(dataset)):
        w = times[at].astype(int)
        a, b = np.repeat(log[ill], w[ill]), np.repeat(log[~ill], w[~ill])
        n, m = len(a), len(b)
        pooled = ((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2)
        draws.append((a.mean() - b.mean()) / np.sqrt(pooled) * (1 - 3 / (4 * (n + m) - 9)))
    ends = np.percentile(draws, [2.5, 97.5])
    assert (found["g_low"], found["g_high"]) == pytest.approx(tuple(ends))


def test_effects_of_learners_and_datasets_are_taken_out():
    rng = np.random.default_rng(2)
    dataset, learner = (a.ravel() for a in np.meshgrid(np.arange(40), np.arange(8), indexing="ij"))
    ill = rng.random(320) < 0.1 + 0.1 * learner
    log = 0.5 * ill + 0.3 * learner + rng.normal(0, 2, 40)[dataset] + rng.normal(0, 0.1, 320)
    found = effects.ratio_without_effects(log, ill, dataset, learner)
    assert found["own_ratio"] == pytest.approx(10**0.5, rel=0.1)
    assert found["own_low"] < 10**0.5 < found["own_high"]
    plain = 10 ** (log[ill].mean() - log[~ill].mean())
    assert plain > 1.5 * found["own_ratio"]


def test_too_little_has_no_interval():
    assert effects.clustered_relation(np.ones(3), np.ones(3), np.arange(3)) == {}
    one = np.array([True, False, False])
    assert effects.clustered_gap(np.ones(3), one, np.arange(3)) == {}
    same = np.array([True, True, False, False])
    assert effects.ratio_without_effects(
        np.ones(4), same, np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])) == {}
