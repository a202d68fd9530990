"""Rank correlations, permutations and corrections, against scipy, pandas and loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from analysis.leaderboards import correlation_power, properties

N = 40


def drawn(seed=0, k=12, n=N):
    """Meta-features with ties, gaps and a constant one, and a gain that goes with the first."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((n, k))
    values[:, 1] = np.round(values[:, 1])
    values[:, 2] = 1.0
    values[rng.random(n) < 0.1, 3] = np.nan
    values[: n - properties.LEAST + 1, 4] = np.nan  # too few left
    features = pd.DataFrame(values, columns=[f"f{j}" for j in range(k)])
    return features, pd.Series(values[:, 0] + rng.standard_normal(n), name="gain")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([
    ("spearman", spearmanr), ("pearson", pearsonr), ("kendall", kendalltau)]))
def test_correlations_are_scipys(seed, way):
    features, gain = drawn(seed)
    gains = np.column_stack([gain, -gain])
    found = properties.correlations(features * 1e200, gains, correlation=way[0])
    for k, name in enumerate(features):
        column = features[name]
        if column.nunique() < 2 or column.notna().sum() < properties.LEAST:
            assert np.isnan(found[k]).all()
        else:
            there = column.notna()
            expected = way[1](column[there], gain[there]).statistic
            assert found[k] == pytest.approx([expected, -expected])


def test_permutations_are_counted_as_a_loop_does():
    features, gain = drawn(k=8)
    table, largest = properties.judge(features, gain, seed=3, n_resamples=60)
    rng, each, most = np.random.default_rng(3), [], []
    for _ in range(60):
        shuffled = rng.permutation(gain.to_numpy())
        rho = [abs(spearmanr(features[n], shuffled, nan_policy="omit").statistic)
               for n in table.index]
        each.append(rho)
        most.append(max(rho))
    assert largest == pytest.approx(most)
    size = table["rho"].abs().to_numpy()
    assert table["p"].to_numpy() == pytest.approx(
        (1 + (np.array(each) >= size - 1e-9).sum(axis=0)) / 61)
    assert table["p_adjusted"].to_numpy() == pytest.approx(
        [(1 + sum(m >= s - 1e-9 for m in most)) / 61 for s in size])
    assert {"f2", "f4"}.isdisjoint(table.index)


def test_power_is_the_level_without_effect_and_grows():
    searched = {"largest": 0.6, "of": N}
    assert correlation_power(0, N) == pytest.approx(0.05)
    rho = np.linspace(0, 0.9, 20)
    assert (np.diff(correlation_power(rho, N)) > 0).all()
    assert (correlation_power(rho, N, **searched) < correlation_power(rho, N)).all()
    assert correlation_power(0.6, N, **searched) == pytest.approx(0.5, abs=1e-6)
    assert (np.diff(correlation_power(0.3, np.arange(5, 99))) > 0).all()


def test_power_by_hand():
    """atanh(.3) · √(100 / 1.06) = 3.0063 standard errors: Fieller, Hartley and Pearson (1957)."""
    assert correlation_power(0.3, 103) == pytest.approx(0.8523, abs=2e-4)
