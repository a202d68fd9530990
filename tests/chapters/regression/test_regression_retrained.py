import numpy as np
import pytest
import xarray as xr

from analysis.extrapolation.training.recipe import GROWTH, SPREAD_GROWTH
from analysis.statistics.families import families, family_of
from chapters.regression import retrained
from chapters.regression.cuts import cut_curves, scale_of

NOISE = 0.01  # octaves
SIZES = np.round(16 * 2 ** np.arange(0, 6.5, 0.5))
# Few trees, as tables here are few.
QUICK = {"growth": GROWTH | {"max_iter": 40, "max_leaf_nodes": 15},
         "spread": SPREAD_GROWTH | {"max_iter": 10}}
FAMILY = ["keel:letter", "6"]  # the same data
TABLES = (*FAMILY, *(f"table {k}" for k in range(6)))


@pytest.fixture(autouse=True, scope="module")
def few_formulas():
    """Nine formulas take their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrained, "MODELS", ("LOG2", "POW2"))
        yield


def power_laws(tables=TABLES, learners=("KNN", "Ridge", "Lasso"), seed=0, noise=NOISE):
    """Return curves (a + b) (size / 16)^-c, a power law from table to table, with noise."""
    rng = np.random.default_rng(seed)
    shape = len(tables), len(learners), 1
    start, power = rng.uniform(0.5, 1.2, shape), rng.uniform(0.1, 0.4, shape)
    truth = start * (SIZES / SIZES[0]) ** -power
    return xr.DataArray(truth * 2 ** rng.normal(0, noise, truth.shape),
                        dims=("dataset", "learner", "anchor"),
                        coords={"dataset": list(tables), "learner": list(learners),
                                "anchor": SIZES})


@pytest.fixture(scope="module")
def curves():
    return power_laws()


@pytest.fixture(scope="module")
def control():
    return power_laws([f"other {k}" for k in range(5)], seed=1)


@pytest.fixture(scope="module")
def kept(curves, control):
    return retrained.compare(curves, control, **QUICK)


def test_power_laws_are_forecast_within_their_noise(kept):
    for share, part in kept.groupby("share"):
        off = part["off"].abs().groupby(part["method"]).median()
        assert off["retrained"] < 3 * NOISE, share
        assert off["retrained"] < off["usual"] < off["stays"]


def test_intervals_hold_about_what_they_promise(kept):
    own = kept[kept["method"] == "retrained"]
    assert (own["low"] <= own["off"]).all() and (own["off"] <= own["high"]).all()
    assert 0.75 <= ((own["low"] <= 0) & (own["high"] >= 0)).mean() <= 1
    assert kept.loc[kept["method"] == "stays", ["low", "high"]].isna().all(axis=None)


def test_rerun_gives_the_same(curves):
    lessons = retrained.lessons_of(curves)
    again = [retrained.learn(lessons, **QUICK) for _ in range(2)]
    for cut in cut_curves(curves, 0.5):
        one, other = (retrained.foretell(forecaster, cut) for forecaster in again)
        np.testing.assert_array_equal(one, other)


def test_what_came_on_a_table_or_its_near_duplicate_changes_no_forecast_of_them(
        curves, control, kept):
    """Of a whole family the ends are doubled: forecasts that had seen them would move."""
    assert len(set(families(FAMILY))) == 1
    doubled = curves["dataset"].isin(FAMILY) & (curves["anchor"] == SIZES[-1])
    other = retrained.compare(curves.where(~doubled, 2 * curves), control, **QUICK)
    assert (kept["method"] == other["method"]).all()
    own = kept["dataset"].isin(FAMILY)
    moved = (kept["off"] - other["off"])[own]
    np.testing.assert_allclose(moved, 1, atol=3e-4)  # by the truth alone
    assert (kept["formula"][own] == other["formula"][own]).all()
    rest = ~own & (kept["method"] == "retrained")
    assert not np.allclose(kept["off"][rest], other["off"][rest], atol=3e-4)


def test_no_family_is_in_its_own_training(curves):
    lessons = retrained.lessons_of(curves)
    assert set(lessons.family) == set(families(TABLES)) and len(set(lessons.family)) == 7
    for family in set(lessons.family):
        rest = lessons.without(family)
        assert set(rest.family) == set(lessons.family) - {family}
        assert len(rest.goal) == len(rest.features) == (lessons.family != family).sum()


def test_lessons_are_all_pairs_of_a_cut_and_a_later_size(curves):
    lessons = retrained.lessons_of(curves)
    later = sum(len(SIZES) - k for k in range(4, len(SIZES)))
    assert len(lessons.goal) == len(TABLES) * 3 * later
    assert lessons.goal.min() > -0.4 * 4.6 - 1 and np.isfinite(lessons.goal).all()


def test_goals_do_not_depend_on_a_curves_unit(curves):
    """Large errors are brought within 0 to 1; what is learnt is their ratio."""
    plain = retrained.lessons_of(curves)
    large = retrained.lessons_of(1000 * curves)
    np.testing.assert_allclose(large.goal, plain.goal, atol=1e-9)


def test_a_database_that_shares_a_family_is_refused(curves, control):
    with pytest.raises(ValueError, match="both databases"):
        retrained.compare(curves, control.assign_coords(
            dataset=["6", *control["dataset"].values[1:]]), **QUICK)


def test_a_learner_of_one_table_only_is_forecast_too(curves):
    lonely = curves.where((curves["learner"] != "Lasso") | (curves["dataset"] == "table 3"))
    cuts = {cut.dataset: cut for cut in cut_curves(lonely, 0.5)}
    assert "Lasso" not in cuts["table 1"].seen["learner"]
    own = cuts.pop("table 3")
    rest = retrained.lessons_of(lonely).without("table 3")
    said = retrained.foretell(retrained.learn(rest, **QUICK), own)
    usual = retrained.usual_fall(retrained.falls(cuts.values()), own)
    for low, middle, high in (said, usual):
        assert np.isfinite(middle).all() and (low <= middle).all() and (middle <= high).all()


def test_the_usual_fall_is_the_median_one_of_the_learner(curves):
    flat = curves.isel(anchor=0, drop=True) * (SIZES[0] / curves["anchor"]) ** xr.DataArray(
        [0.1, 0.2, 0.3], dims="learner", coords={"learner": curves["learner"]})
    cuts = list(cut_curves(flat.transpose(*curves.dims), 0.25))
    low, middle, high = retrained.usual_fall(retrained.falls(cuts[1:]), cuts[0])
    for said in (low, middle, high):
        np.testing.assert_allclose(said, cuts[0].truth)


def test_the_formula_is_that_which_erred_least_on_other_families(curves):
    found = retrained.formulas(list(cut_curves(curves, 0.5)), 0.5)
    assert len(found) == len(TABLES) * 3
    assert found.groupby(found["dataset"].map(family_of))["formula"].nunique().eq(1).all()
    assert set(found["formula"]) == {"POW2"}  # which is what these curves are


def test_cuts_hold_what_was_seen_and_what_came(curves):
    few = curves.where((curves["dataset"] != "table 0") | (curves["anchor"] <= 64))
    gap = few.where((few["dataset"] != "table 1") | (few["learner"] != "KNN")
                    | (few["anchor"] != 32))
    cuts = {cut.dataset: cut for cut in cut_curves(gap, 0.5)}
    assert "table 0" not in cuts and cuts["table 1"].seen["learner"].values.tolist() == [
        "Ridge", "Lasso"]
    for name, cut in cuts.items():
        own = curves.sel(dataset=name, learner=cut.seen["learner"])
        np.testing.assert_allclose(cut.truth, own.isel(anchor=-1))
        np.testing.assert_allclose(cut.seen / cut.scale[:, None],
                                   own.sel(anchor=cut.seen["anchor"]))
        assert cut.doublings == 1 and cut.seen.max() <= 1 and cut.end == SIZES[-1]


def test_scales_bring_within_an_error_rate_and_leave_what_is():
    values = np.array([[0.5, np.nan, 0.2], [9e12, 1, np.nan]])
    np.testing.assert_allclose(scale_of(values), [1, 1e-13])
