"""What extrapolators see, and the parts they are made of, against straightforward definitions."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.ensemble import HistGradientBoostingRegressor

from analysis.extrapolation import EXTRAPOLATORS, conformal, see_curves
from analysis.extrapolation import seen as seeing
from analysis.extrapolation.artefacts import NotTrainedError, Trees
from analysis.extrapolation.conformal import calibrate, groups
from analysis.extrapolation.features import FORMULAS, LAGS, NEIGHBOURS, TURNING, described
from analysis.extrapolation.gaussian import condition
from analysis.fitting.registry import MODELS
from lab.training.examples import cut as cut_at
from lab.training.examples import draw_folds
from lab.training.recipe import arrays_of, fit_gaussian, take_trees
from lab.trial.rivals import torn_datasets

SIZES = np.array([16, 23, 32, 45, 64, 91, 128])


def test_see_curves_averages_repeats_and_keeps_labels(power_curves):
    curves = power_curves()
    seen, template = see_curves(curves)
    assert template.dims == ("dataset", "learner")
    assert seen.values == pytest.approx(curves.mean("repeat").values.reshape(6, -1))
    expected = curves.std("repeat", ddof=1).values.reshape(6, -1) / 2
    assert seen.noise == pytest.approx(expected)
    assert seen.learner.tolist() == ["KNN", "LDA"] * 3
    assert seen.dataset.tolist() == [0, 0, 1, 1, 2, 2]
    assert (seen.fold == -1).all()


def test_curves_without_labels_are_on_one_dataset_by_unknown_learners():
    curve = xr.DataArray([0.5, 0.4, 0.3], dims="anchor", coords={"anchor": [10, 20, 40]})
    seen, _ = see_curves(curve)
    assert seen.learner.tolist() == [""]
    assert np.isnan(seen.noise).all()
    assert (seen.level, seen.now) == (pytest.approx([0.3]), pytest.approx([np.log2(40)]))


@pytest.mark.parametrize(("values", "message"), [
    ([0.5, 1.4, 0.3], "outside 0 to 1"), ([0.5, -0.1, 0.3], "outside 0 to 1"),
    ([0.5, np.nan, np.nan], "one training-set size only")])
def test_bad_curves_are_refused(values, message):
    curve = xr.DataArray(values, dims="anchor", coords={"anchor": [10, 20, 40]})
    with pytest.raises(ValueError, match=message):
        see_curves(curve)


@given(hnp.arrays(float, (3, 6), elements=st.one_of(st.just(np.nan), st.floats(0, 1))),
       hnp.arrays(float, (3, 4), elements=st.floats(-1, 7)))
def test_interpolate_is_numpys_on_what_is_there(y, at):
    x = np.array([0.0, 1.0, 1.5, 3.0, 4.0, 6.0])
    found = seeing.interpolate(x, y, at)
    for row, places, values in zip(y, at, found, strict=True):
        there = np.isfinite(row)
        if not there.any():
            assert np.isnan(values).all()
            continue
        expected = np.interp(places, x[there], row[there])
        outside = (places < x[there].min() - 1e-8) | (places > x[there].max() + 1e-8)
        inside = (places > x[there].min() + 1e-8) & (places < x[there].max() - 1e-8)
        assert np.isnan(values[outside]).all()
        assert values[inside] == pytest.approx(expected[inside], abs=1e-6)


def test_along_goes_through_the_future_and_on_at_its_slope():
    future = np.concatenate([[0.0], 2 * np.array(seeing.FUTURE)])[None]
    assert seeing.along(future, np.array([[0.25, 1.0, 4.5, 8.0]]))[0] == pytest.approx(
        [0.5, 2, 9, 16])


def test_scenes_hide_what_others_show_later(power_curves):
    seen, _ = see_curves(power_curves())
    cut = cut_at(seen, np.array([2, 6, 4, 4, 6, 2]))
    scenes = seeing.set_scenes(cut, ("KNN", "LDA", "QDA"))
    own = scenes.past[scenes.scene[0]]
    assert own[1, -1] == pytest.approx(np.log(cut.values[1, 2] + 0.1))  # LDA at KNN's last size
    assert np.isnan(own[2]).all()
    assert scenes.slot.tolist() == [0, 1] * 3
    assert len(scenes.past) == 5  # dataset 1 has one last size for both


@pytest.fixture(scope="module")
def gaussian():
    rng = np.random.default_rng(1)
    steps = len(seeing.PAST) + len(seeing.FUTURE)
    walk = 0.3 * rng.standard_normal((400, 2, steps)).cumsum(2)
    windows = rng.standard_normal((400, 2, 1)) + walk
    windows[:150, :, -3:] = np.nan
    return fit_gaussian(windows, ("KNN", "LDA"))


def test_gaussian_is_conditioned_as_the_textbook_says(gaussian, power_curves):
    seen, _ = see_curves(power_curves())
    scenes = seeing.set_scenes(seen, gaussian.learners)
    mean, variance = condition(gaussian, scenes)
    steps = len(seeing.PAST) + len(seeing.FUTURE)
    column = np.arange(2 * steps).reshape(2, steps)
    flat = scenes.past[0].ravel()
    there = np.isfinite(flat)
    known = column[:, : len(seeing.PAST)].ravel()[there]
    wanted = column[:, len(seeing.PAST) - 1:].ravel()
    s = gaussian.covariance
    gain = s[np.ix_(wanted, known)] @ np.linalg.inv(s[np.ix_(known, known)])
    expected = gaussian.mean[wanted] + gain @ (flat[there] - gaussian.mean[known])
    left = s[np.ix_(wanted, wanted)] - gain @ s[np.ix_(known, wanted)]
    assert mean[0].ravel() == pytest.approx(expected)
    assert variance[0].ravel() == pytest.approx(np.diag(left).clip(1e-8), abs=1e-7)


def test_gaussian_finds_the_moments_of_complete_windows():
    rng = np.random.default_rng(2)
    steps = len(seeing.PAST) + len(seeing.FUTURE)
    curve = rng.standard_normal((20_000, 1, steps)).cumsum(2)
    model = fit_gaussian(np.concatenate([curve, 0.5 * curve], axis=1), ("KNN", "LDA"))
    expected = np.minimum.outer(np.arange(1, steps + 1), np.arange(1, steps + 1))
    assert model.covariance[:steps, :steps] == pytest.approx(expected, rel=0.1, abs=0.2)


def test_trees_predict_what_scikit_learns_do():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 4)).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    y = np.nan_to_num(x[:, 0]) * 2 + (np.nan_to_num(x[:, 1]) > 0)
    fitted = HistGradientBoostingRegressor(max_iter=30, loss="absolute_error").fit(x, y)
    arrays = arrays_of(take_trees(fitted), "t")
    assert not any(values.dtype == object for values in arrays.values())
    assert Trees.from_arrays(arrays, "t").predict(x) == pytest.approx(fitted.predict(x), abs=1e-4)


def test_trees_with_categories_are_refused():
    x = np.random.default_rng(0).integers(0, 5, (200, 1))
    fitted = HistGradientBoostingRegressor(max_iter=5, categorical_features=[0]).fit(x, x[:, 0] % 2)
    with pytest.raises(ValueError, match="without categories"):
        take_trees(fitted)


def test_calibration_covers_as_it_says_in_every_group():
    rng = np.random.default_rng(3)
    horizon, scale = rng.uniform(0.3, 6, 30_000), rng.lognormal(-4, 0.6, 30_000)
    residual = scale * (rng.standard_exponential(30_000) - 0.7) * (1 + horizon)
    known = calibrate(residual[::2], scale[::2], horizon[::2], (0.05, 0.5, 0.95))
    group = groups(horizon[1::2], scale[1::2], known.edges)
    low, _, high = (scale[1::2, None] * known.table[group]).T
    inside = (low <= residual[1::2]) & (residual[1::2] <= high)
    for number in np.unique(group):
        assert inside[group == number].mean() == pytest.approx(0.9, abs=0.04)


def test_families_stay_together():
    names = ["fri_c1_1000_5", "fri_c4_1000_100", "fried", "dna", "splice", "sick",
             "imbalanced/pima", "OVA_Lung", "OVA_Colon", "adult", "adult-census", "letter", "car"]
    folds = dict(zip(names, draw_folds(names), strict=True))
    for same in (names[:3], names[3:5], names[7:9], names[9:11]):
        assert len({folds[n] for n in same}) == 1
    assert set(draw_folds([f"own {k}" for k in range(10)])) == set(range(5))


def test_a_near_duplicate_of_a_training_dataset_is_forecast_without_its_fold():
    folds = seeing.training_datasets()["fold"]
    for own, other in (("keel:breast", "13"), ("breast", "13"), (29, "40981"), ("iris_uci", "61"),
                       ("keel:kr-vs-k-one_vs_fifteen", "184")):
        assert seeing.fold_of(other) == folds[other] == seeing.fold_of(own), own
    assert seeing.fold_of("haberman") == seeing.fold_of("sklearn:wine") == -1
    assert {"185", "966"} <= torn_datasets() and not torn_datasets() & {"13", "61", "715"}


@pytest.mark.parametrize("name", [*MODELS, "usual"])
def test_what_needs_no_training_forecasts_in_range(name, power_curves):
    seen, _ = see_curves(power_curves())
    centre, scale = EXTRAPOLATORS[name](seen, np.full((6, 2), [256.0, 1024.0]))
    assert ((centre >= 0) & (centre <= 1) & (scale > 0)).all()


def test_the_usual_fall_is_the_same_for_every_curve_of_one_level(power_curves):
    seen, _ = see_curves(power_curves())
    flat = cut_at(seen, np.full(6, 3))
    centre = EXTRAPOLATORS["usual"](flat, np.full((6, 2), [90.0, 1440.0])).centre
    left = np.log(centre + 0.1) - np.log(flat.level[:, None] + 0.1)
    np.testing.assert_allclose(left, left[:1].repeat(6, axis=0))
    assert (left[:, 1] < left[:, 0]).all() and (left[:, 0] < 0).all()


def test_where_discriminants_peaked_is_told_to_the_others_as_far_as_it_is_seen(power_curves):
    curves = power_curves(learners=("KNN", "LDA", "QDA"))
    curves.loc[{"dataset": "d1", "learner": "LDA", "anchor": 32}] = 0.9
    curves.loc[{"dataset": "d1", "learner": "LDA", "anchor": 128}] = 0.95
    seen, _ = see_curves(curves)
    cut = cut_at(seen, np.full(9, 4))
    found = described(cut, np.full((9, 1), 128.0), ("KNN", "LDA", "QDA"))[:, 0]
    at = 8 + len(LAGS) + 2 + 1 + 5 + 3 * len(NEIGHBOURS)  # of features of the curve and the others
    assert found.shape[1] == at + 2 * len(TURNING) + len(FORMULAS) + 2
    since, high = found[:, at], found[:, at + 1]
    own = seen.dataset == 1
    assert since[own] == pytest.approx(1.0)  # from 32 to 64: what comes at 128 is not seen
    assert high[own] == pytest.approx(0.9 - cut.level[own])
    assert (since[~own] == 2).all()  # a falling curve is highest at its beginning
    alone = described(cut.take(np.array([0])), np.array([[128.0]]), ("KNN", "LDA", "QDA"))[0, 0]
    assert np.isnan(alone[at:at + 2 * len(TURNING)]).all()


def stored_residuals(**columns):
    """Residuals of one extrapolator, "POW2", as they ship; every group of them is the same."""
    n = len(columns["residual"])
    return {"extrapolators": np.array(["POW2"]), "residual": columns["residual"][:, None],
            "scale": np.ones((n, 1)), "horizon": np.tile([0.5, 1.5, 2.5, 4, 6], n // 5),
            "fold": columns.get("fold", np.ones(n)), "ill": columns.get("ill", np.zeros(n, bool))}


def test_a_datasets_own_fold_does_not_calibrate_its_intervals(monkeypatch):
    fold = np.repeat([0, 1], 500)
    stored = stored_residuals(residual=np.where(fold == 0, 50.0, 0.0), fold=fold)
    monkeypatch.setattr(conformal, "read", lambda _: stored)
    plain = conformal.shipped_calibration.__wrapped__
    assert plain("POW2", 0, (0.1, 0.5, 0.9)).table.max() == 0
    assert plain("POW2", -1, (0.1, 0.5, 0.9)).table.max() == 50
    with pytest.raises(NotTrainedError, match="make extrapolators"):
        plain("stay", 0, (0.5,))


def test_ill_behaved_curves_count_eight_times_outside_the_quartiles():
    ill = np.arange(2200) % 11 == 0  # of 11 residuals one: 8 of 18 when it counts eight times
    residual, scale = np.where(ill, 10.0, 0.0), np.ones(2200)
    horizon = np.repeat([0.5, 1.5, 2.5, 4, 6], 440)
    levels = (0.05, 0.5, 0.75, 0.8, 0.95)
    plain = calibrate(residual, scale, horizon, levels).table[::3]  # all scales are the smallest
    weighted = calibrate(residual, scale, horizon, levels, ill).table[::3]
    assert (plain[:, :4] == 0).all()
    assert (weighted[:, 3:] == 10).all() and (weighted[:, :3] == 0).all()


def test_quantiles_ascend_where_ill_behaved_curves_pull_the_outer_ones_down():
    rng = np.random.default_rng(0)
    ill = rng.random(5000) < 0.3
    residual = np.where(ill, -5.0, 1.0) + 0.1 * rng.standard_normal(5000)
    found = calibrate(residual, np.ones(5000), rng.uniform(0.1, 6, 5000),
                      (0.1, 0.5, 0.75, 0.8, 0.9), ill).table[::3]
    assert (np.diff(found) >= 0).all() and found[0, 2] > 0.9
