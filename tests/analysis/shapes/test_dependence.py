import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from analysis.shapes.significance import TESTS, cluster_error

OUTER = np.arange(5).repeat(5)


def draw(n, within=0.0, shared=0.0, seed=0):
    """Differences of mean 0, correlated within an outer seed, or between all repeats."""
    rng = np.random.default_rng(seed)
    return (np.sqrt(1 - within - shared) * rng.normal(size=(n, 25))
            + np.sqrt(within) * rng.normal(size=(n, 5)).repeat(5, axis=1)
            + np.sqrt(shared) * rng.normal(size=(n, 1)))


def rejected(name, differences):
    return (TESTS[name].of(differences, OUTER).p < 0.05).mean()


@given(hnp.arrays(float, (25,), elements=st.floats(-1, 1)), st.booleans())
@settings(max_examples=60, deadline=None)
def test_cluster_error_is_that_of_its_definition(d, holes):
    d = np.where(np.arange(25) % 7 == 3, np.nan, d) if holes else d
    known = ~np.isnan(d)
    residual = d - np.nanmean(d)
    sums = [residual[known & (g == OUTER)].sum() for g in range(5)]
    expected = np.sqrt(5 / 4 * sum(s * s for s in sums)) / known.sum()
    assert cluster_error(d[None], OUTER)[0] == pytest.approx(expected, abs=1e-12)


def test_each_test_is_the_textbooks():
    d = draw(1, seed=3) + 0.2
    p = {name: test.of(d, OUTER).p[0] for name, test in TESTS.items()}
    t = stats.ttest_1samp(d[0], 0).statistic
    assert p["paired"] == pytest.approx(stats.ttest_1samp(d[0], 0, alternative="greater").pvalue)
    assert p["outer_means"] == pytest.approx(
        stats.ttest_1samp(d[0].reshape(5, 5).mean(axis=1), 0, alternative="greater").pvalue)
    assert p["nadeau_bengio"] == pytest.approx(
        stats.t.sf(t * np.sqrt((1 / 25) / (1 / 25 + 1 / 9)), 24))
    assert p["shared"] == pytest.approx(stats.t.sf(t / 1.5, 24))
    assert p["larger_error"] >= p["paired"] - 1e-12


@pytest.mark.parametrize("name", TESTS)
def test_independent_repeats_are_rejected_at_the_level_or_below(name):
    assert rejected(name, draw(4000)) < 0.065


WITHIN, SHARED = {"within": 0.3}, {"shared": 0.1}  # repeats that overlap by a tenth, as LCDB's do


@pytest.mark.parametrize("name, dependence, keeps", [
    ("paired", WITHIN, False), ("outer_means", WITHIN, True), ("clustered", WITHIN, True),
    ("paired", SHARED, False), ("outer_means", SHARED, False), ("nadeau_bengio", SHARED, True)])
def test_who_allows_for_dependence_within_outer_seeds_or_on_the_dataset(name, dependence, keeps):
    assert bool(rejected(name, draw(4000, **dependence)) < 0.07) is keeps


@pytest.mark.parametrize("name", TESTS)
def test_one_outer_seed_or_one_repeat_is_no_ground_for_a_verdict(name):
    d = np.full((1, 25), np.nan)
    assert np.isnan(TESTS[name].of(d, OUTER).p).all()
    d[0, 0] = 1.0
    assert np.isnan(TESTS[name].of(d, OUTER).p).all()
    single = TESTS[name].of(draw(1), np.zeros(25, int)).p
    assert np.isnan(single).all() == (name in ("clustered", "outer_means"))


@pytest.mark.parametrize("name", TESTS)
def test_identical_differences_have_p_zero(name):
    assert TESTS[name].of(np.full((1, 25), 0.25), OUTER).p[0] == 0
