"""Ranges: Jeffreys' for error rates, shared by learners, and as wide as what is not known."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, norm

from analysis.report.measured import Measured, bootstrap_rows
from analysis.report.metrics import BOUNDED, ENDLESS, Stretch
from analysis.report.posterior import LEVELS as ASKED
from analysis.report.posterior import _onward, pool_learners, simulate_changes, simulate_errors

LEVELS = np.array([0.01, *np.arange(0.05, 0.951, 0.05), 0.99])


def losses_of(wrong, n, learners=1):
    return np.tile((np.arange(n) < wrong).astype(float), (learners, 1))


@settings(max_examples=20)
@given(n=st.integers(30, 400), share=st.floats(0, 1))
def test_the_range_of_an_error_rate_is_jeffreys(n, share):
    wrong = round(share * n)
    draws = bootstrap_rows(losses_of(wrong, n), np.arange(n), False, np.random.default_rng(0),
                      draws=8000)[:, 0]
    for level in (0.05, 0.5, 0.95):
        expected = beta.ppf(level, wrong + 0.5, n - wrong + 0.5)
        spread = np.sqrt(expected * (1 - expected) / n)
        assert np.quantile(draws, level) == pytest.approx(expected, abs=0.15 * spread + 2e-4)


def test_learners_share_the_rows_so_that_differences_stay_sharp():
    rng = np.random.default_rng(1)
    first = (rng.uniform(size=400) < 0.3).astype(float)
    second = first.copy()
    second[np.flatnonzero(first == 0)[:8]] = 1  # errs on the same rows and eight more
    draws = bootstrap_rows(np.stack([first, second]), np.arange(400), False, rng)
    assert (draws[:, 0] < draws[:, 1]).mean() > 0.99
    assert np.std(draws[:, 1] - draws[:, 0]) < 0.4 * np.std(draws[:, 0])


def test_rows_of_one_unit_count_as_one():
    losses = np.repeat(losses_of(12, 40), 10, axis=1)
    alone = bootstrap_rows(losses, np.arange(400), False, np.random.default_rng(0)).std()
    together = bootstrap_rows(losses, np.repeat(np.arange(40), 10), False,
                         np.random.default_rng(0)).std()
    assert together / alone == pytest.approx(np.sqrt(10), rel=0.15)


def test_where_nothing_bounds_a_loss_the_worst_one_seen_counts_twice_for_groups():
    losses, groups = losses_of(12, 40).repeat(10, axis=1), np.repeat(np.arange(40), 10)

    def mean(losses, units, endless):
        return bootstrap_rows(losses, units, endless, np.random.default_rng(0)).mean()
    rows = np.arange(400)
    assert mean(7 * losses, rows, True) == pytest.approx(7 * mean(losses, rows, False))
    assert mean(losses, groups, True) > 1.02 * mean(losses, groups, False)


def quantiles(middle, half):
    return (middle + half * (LEVELS - 0.5) * 2)[None, None]


@settings(max_examples=15, deadline=None)
@given(st.floats(-0.15, -0.01), st.floats(0.01, 0.1))
def test_doubt_is_a_normal_prior_about_no_change(change, deviation):
    """By Bayes on a grid: forecast N(change, deviation²), prior N(0, change² / doubt)."""
    later = (np.sqrt(0.2) + change + deviation * norm.ppf(LEVELS)).clip(0)[None, None] ** 2
    doubting = Stretch(rows=1.0, doubt=0.5, most=1.0)
    drawn = simulate_changes(np.full(1, 0.2), later, LEVELS, np.random.default_rng(0), doubting,
                       20_000)[:, 0, 0]
    grid = np.linspace(-1, 1, 20_001)
    likely = norm.pdf(grid, change, deviation) * norm.pdf(grid, 0, -change / np.sqrt(0.5))
    share = likely.cumsum() / likely.sum()
    for level in (0.1, 0.25, 0.5, 0.75, 0.9):
        expected = grid[np.searchsorted(share, level)]
        assert np.quantile(drawn, level) == pytest.approx(expected, abs=0.08 * deviation + 1e-3)


@pytest.mark.parametrize(("exponents", "stays_at", "times"), [
    ((0.5, 0.5), 0.2, 2**-0.25), ((0.25, 0.55), 0.2, 2**-0.2), ((0.55, 0.25), 0.2, 2**-0.125),
    ((0.1, 0.1), 0.2, 1), ((0.04, 0.6), 0.2, 1), ((0.5,), 0.2, 1), ((0.5, 0.5), 0.1, 1)])
def test_a_steep_and_steady_fall_goes_on_halfway_to_its_power(exponents, stays_at, times):
    errors = 0.2 * 2 ** np.cumsum(exponents[::-1])[::-1]
    curves = xr.DataArray(np.r_[errors, 0.2][None, None, None], dims=(
        "learner", "outer", "inner", "anchor"), coords={"anchor": 64 / 2.0 ** np.arange(
            len(exponents), -1, -1)})
    forecast = xr.DataArray(np.full((1, 2, len(ASKED)), stays_at), {"size": [128.0, 256.0]},
                            ("learner", "size", "quantile"))
    moved = _onward(curves, forecast)
    np.testing.assert_allclose(moved[0, :, 0], [stays_at * times, stays_at * times**2])
    assert (moved == moved[..., 0]).all() and (forecast == stays_at).all()


def test_no_change_is_expected_where_nothing_was_learnt():
    full, none = (simulate_changes(np.full(1, 0.2), quantiles(0.15, 0.05), LEVELS,
                             np.random.default_rng(0), learnt=learnt) for learnt in (1.0, 0.0))
    assert np.median(none) == pytest.approx(0, abs=4e-3) and np.median(full) < -0.04
    np.testing.assert_allclose(none - np.median(none), full - np.median(full))  # as unsure


@pytest.mark.parametrize("learners", [2, 5])
def test_drawing_together_is_the_posterior_mean_under_a_half_cauchy_prior(learners):
    """By quadrature: with noise of 1, of the true differences' variance τ² its share is kept."""
    values = np.linspace(-1.5, 1.5, learners)

    def weight(tau, kept):
        total = tau**2 + 1
        likely = total ** (-(learners - 1) / 2) * np.exp(-(values**2).sum() / 2 / total)
        return likely / (1 + tau**2) * (tau**2 / total if kept else 1)

    share = quad(weight, 0, np.inf, True)[0] / quad(weight, 0, np.inf, False)[0]
    drawn = values + np.random.default_rng(0).normal(size=(40_000, learners))
    found = pool_learners(drawn, 1.0).mean(0)
    np.testing.assert_allclose(np.ptp(found), share * np.ptp(values), rtol=0.02)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 6), st.integers(0, 100))
def test_drawing_together_keeps_the_mean_and_the_order(learners, seed):
    rng = np.random.default_rng(seed)
    centre = rng.normal(0, rng.uniform(0, 0.1), learners)
    draws = centre + 0.05 * rng.normal(size=(300, 1)) + 0.03 * rng.normal(size=(300, learners))
    found = pool_learners(draws, 0.05)
    np.testing.assert_allclose(found.mean(1), draws.mean(1), atol=1e-12)
    before, after = (np.ptp(one.mean(0)) for one in (draws, found))
    assert after <= before
    same = pool_learners(np.repeat(draws[:, :1], 3, axis=1), 0.05)
    np.testing.assert_allclose(same, np.repeat(draws[:, :1], 3, axis=1))


@pytest.mark.parametrize(("by", "highest"), [(BOUNDED, 1.0), (ENDLESS, np.inf)])
def test_numbers_can_be_missed_by_more_than_the_mean_misses_them(by, highest):
    now = np.random.default_rng(0).normal(1.1, 0.05, (500, 2)) ** 2
    errors = xr.DataArray(np.full((2, 1, 1, 3), 0.99), dims=("learner", "outer", "inner", "anchor"),
                          coords={"learner": ["a", "b"], "anchor": [16.0, 32.0, 64.0]})
    measured = Measured(errors, np.full(2, 64), now.mean(0), now, stretch=by)
    forecast = xr.DataArray(np.repeat(quantiles(0.98, 0.02), 2, axis=0), coords={
        "quantile": LEVELS}, dims=("learner", "size", "quantile"))
    later = simulate_errors(measured, forecast)["a"]
    assert later.shape == (500, 2)
    assert later.max() <= highest and (later > 1).any() == np.isinf(highest)
