"""Ranges: Jeffreys' for error rates, shared by learners, and as wide as what is not known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from analysis.report.uncertainty import BOUNDED, ENDLESS, Stretch, draw_later, row_draws, stretched

LEVELS = np.array([0.01, *np.arange(0.05, 0.951, 0.05), 0.99])
AS_IT_IS = Stretch(1.0, 1.0, 1.0, 0.0, 1.0)


def losses_of(wrong, n, learners=1):
    return np.tile((np.arange(n) < wrong).astype(float), (learners, 1))


@settings(max_examples=20)
@given(n=st.integers(30, 400), share=st.floats(0, 1))
def test_the_range_of_an_error_rate_is_jeffreys(n, share):
    wrong = round(share * n)
    draws = row_draws(losses_of(wrong, n), np.arange(n), False, np.random.default_rng(0),
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
    draws = row_draws(np.stack([first, second]), np.arange(400), False, rng)
    assert (draws[:, 0] < draws[:, 1]).mean() > 0.99
    assert np.std(draws[:, 1] - draws[:, 0]) < 0.4 * np.std(draws[:, 0])


def test_rows_of_one_unit_count_as_one():
    losses = np.repeat(losses_of(12, 40), 10, axis=1)
    alone = row_draws(losses, np.arange(400), False, np.random.default_rng(0)).std()
    together = row_draws(losses, np.repeat(np.arange(40), 10), False,
                         np.random.default_rng(0)).std()
    assert together / alone == pytest.approx(np.sqrt(10), rel=0.15)


def test_rows_that_were_never_held_out_do_not_count():
    losses = losses_of(10, 100)
    more = np.concatenate([losses, np.full((1, 50), np.nan)], axis=1)
    a = row_draws(losses, np.arange(100), False, np.random.default_rng(0))
    b = row_draws(more, np.arange(150), False, np.random.default_rng(0))
    np.testing.assert_allclose(a, b)


def test_where_nothing_bounds_a_loss_the_worst_one_seen_counts_twice_for_groups():
    losses, groups = losses_of(12, 40).repeat(10, axis=1), np.repeat(np.arange(40), 10)

    def mean(losses, units, endless):
        return row_draws(losses, units, endless, np.random.default_rng(0)).mean()
    rows = np.arange(400)
    assert mean(7 * losses, rows, True) == pytest.approx(7 * mean(losses, rows, False))
    assert mean(losses, groups, True) > 1.02 * mean(losses, groups, False)


def test_stretching_keeps_the_centre_and_never_goes_below_zero():
    draws = np.random.default_rng(0).uniform(0.0, 0.2, (1000, 1))
    wide = stretched(draws, np.array([0.1]), 2.0)
    assert (wide >= 0).all() and np.ptp(wide) > np.ptp(draws)
    np.testing.assert_allclose(stretched(draws, np.array([0.1]), 1.0), draws)


def quantiles(middle, half):
    return (middle + half * (LEVELS - 0.5) * 2)[None, None]


def test_what_is_later_holds_both_what_the_rows_and_what_the_forecast_do_not_know():
    rng = np.random.default_rng(0)
    now = np.clip(rng.normal(0.2, 0.03, (4000, 1)), 0, 1)
    sure, known, both = (
        draw_later(draws, np.array([0.2]), quantiles(0.15, half), LEVELS, rng, AS_IT_IS)[:, 0, 0]
        for draws, half in ((now, 1e-9), (np.full_like(now, 0.2), 0.05), (now, 0.05)))
    assert np.median(sure) == pytest.approx(0.15, abs=0.005)
    assert both.std() > max(sure.std(), known.std())
    assert ((both >= 0) & (both <= 1)).all()


def test_a_table_that_was_lucky_is_lucky_later_too():
    now = np.array([[0.1], [0.3]])
    later = draw_later(now, np.array([0.2]), quantiles(0.15, 1e-9), LEVELS,
                       np.random.default_rng(0))[:, 0, 0]
    assert later[0] < 0.15 < later[1] and later[0] > 0.05


def test_a_part_of_the_gain_that_is_forecast_is_promised():
    now = np.full((50, 1), 0.2)
    later = draw_later(now, np.array([0.2]), quantiles(0.1, 1e-9), LEVELS,
                       np.random.default_rng(0), Stretch(1.0, 1.0, 0.5, 0.0, 1.0))[:, 0, 0]
    np.testing.assert_allclose(np.sqrt(later), (np.sqrt(0.2) + np.sqrt(0.1)) / 2, atol=1e-6)
    assert 0 < BOUNDED.gain < 1


def test_numbers_can_be_missed_by_more_than_the_mean_misses_them():
    now = np.random.default_rng(0).normal(1.1, 0.05, (500, 1)) ** 2
    for by, highest in ((BOUNDED, 1.0), (ENDLESS, np.inf)):
        later = draw_later(now, np.array([1.0]), quantiles(0.98, 0.02), LEVELS,
                           np.random.default_rng(0), by)
        assert later.max() <= highest and (later > 1).any() == np.isinf(highest)
