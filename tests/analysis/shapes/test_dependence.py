import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from analysis.shapes.curves import Seeds, seeds_of
from analysis.shapes.significance import TESTS, cluster_error

OUTER = np.arange(5).repeat(5)
SEEDS = Seeds(OUTER, np.tile(np.arange(5), 5))


def draw(n, within=0.0, shared=0.0, inner=0.0, seed=0):
    """Differences of mean 0, correlated within an outer or inner seed, or between all repeats."""
    rng = np.random.default_rng(seed)
    return (np.sqrt(1 - within - shared - inner) * rng.normal(size=(n, 25))
            + np.sqrt(within) * rng.normal(size=(n, 5)).repeat(5, axis=1)
            + np.sqrt(inner) * np.tile(rng.normal(size=(n, 5)), 5)
            + np.sqrt(shared) * rng.normal(size=(n, 1)))


def rejected(name, differences):
    return (TESTS[name].of(differences, SEEDS).p < 0.05).mean()


@given(hnp.arrays(float, (25,), elements=st.floats(-1, 1)), st.booleans())
@settings(max_examples=60, deadline=None)
def test_cluster_error_is_that_of_its_definition(d, holes):
    d = np.where(np.arange(25) % 7 == 3, np.nan, d) if holes else d
    assert cluster_error(d[None], OUTER)[0] == pytest.approx(_looped_error(d, OUTER), abs=1e-12)


def _looped_error(d, labels):
    known = ~np.isnan(d)
    residual = d - np.nanmean(d)
    sums = [residual[known & (g == labels)].sum() for g in range(5)]
    return np.sqrt(5 / 4 * sum(s * s for s in sums)) / known.sum()


def test_each_test_is_the_textbooks():
    d = draw(1, seed=3) + 0.2
    p = {name: test.of(d, SEEDS).p[0] for name, test in TESTS.items()}
    t = stats.ttest_1samp(d[0], 0).statistic
    assert p["paired"] == pytest.approx(stats.ttest_1samp(d[0], 0, alternative="greater").pvalue)
    assert p["nadeau_bengio"] == pytest.approx(
        stats.t.sf(t * np.sqrt((1 / 25) / (1 / 25 + 1 / 9)), 24))
    assert p["shared"] == pytest.approx(stats.t.sf(t / 1.5, 24))
    assert p["larger_error"] >= p["paired"] - 1e-12
    errors = [stats.sem(d[0]), *(_looped_error(d[0], of) for of in SEEDS)]
    freedom = 24 * (errors[0] / max(errors)) ** 2
    assert p["larger_error_inner"] == pytest.approx(
        stats.t.sf(d.mean() / max(errors[0], errors[2]), 24))
    assert p["either_seed"] == pytest.approx(stats.t.sf(d.mean() / max(errors), freedom))


@pytest.mark.parametrize("by", [0, 1])
def test_where_all_varies_between_seeds_either_seed_tests_the_seeds_means(by):
    means = np.random.default_rng(1).normal(0.5, 1, 5)
    p = TESTS["either_seed"].of(means[SEEDS[by]][None], SEEDS).p[0]
    assert p == pytest.approx(stats.ttest_1samp(means, 0, alternative="greater").pvalue)


def test_inner_seeds_that_no_two_repeats_share_are_no_clusters():
    dims, shape = ("inner", "outer", "anchor"), (5, 5, 2)
    curve = xr.DataArray(np.zeros(shape), dims=dims, coords={"anchor": [16, 32]})
    assert np.array_equal(seeds_of(curve), SEEDS)
    distinct = curve.assign_coords(inner_seed=(("outer", "inner"), np.arange(25).reshape(5, 5)))
    assert np.array_equal(seeds_of(distinct), Seeds(OUTER, np.arange(25)))
    d = draw(1, inner=0.9) + 0.3
    assert TESTS["larger_error_inner"].of(d, seeds_of(distinct)).p == pytest.approx(
        TESTS["paired"].of(d, SEEDS).p)


@pytest.mark.parametrize("name", TESTS)
def test_independent_repeats_are_rejected_at_the_level_or_below(name):
    assert rejected(name, draw(4000)) < 0.065


INNER = {"inner": 0.6}
WITHIN, SHARED = {"within": 0.3}, {"shared": 0.1}  # repeats that overlap by a tenth, as LCDB's do


@pytest.mark.parametrize("name, dependence, keeps", [
    ("paired", WITHIN, False), ("larger_error", WITHIN, True), ("paired", INNER, False),
    ("larger_error", INNER, False), ("either_seed", INNER, True), ("either_seed", WITHIN, True),
    ("paired", SHARED, False), ("nadeau_bengio", SHARED, True)])
def test_who_allows_for_dependence_within_outer_seeds_or_on_the_dataset(name, dependence, keeps):
    assert bool(rejected(name, draw(4000, **dependence)) < 0.07) is keeps


@pytest.mark.parametrize("name", TESTS)
def test_one_repeat_is_no_ground_for_a_verdict(name):
    d = np.full((1, 25), np.nan)
    assert np.isnan(TESTS[name].of(d, SEEDS).p).all()
    d[0, 0] = 1.0
    assert np.isnan(TESTS[name].of(d, SEEDS).p).all()


@pytest.mark.parametrize("name", TESTS)
def test_identical_differences_have_p_zero(name):
    assert TESTS[name].of(np.full((1, 25), 0.25), SEEDS).p[0] == 0
