"""What people have already, as the container: scikit-learn's learning curves, a tidy table."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, get_scorer_names, make_scorer
from sklearn.model_selection import LearningCurveDisplay, learning_curve
from sklearn.naive_bayes import GaussianNB

import analysis
from analysis.extrapolation import predict
from collection.containers.curves import DIMS, Status
from collection.project.naming import UnknownNameError

SIZES = [16, 23, 32, 45, 64, 91, 128]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return learning_curve(GaussianNB(), X, y, train_sizes=SIZES, shuffle=True, random_state=0)


def test_scikit_learns_curves_give_verdicts_and_a_forecast(wine):
    curves = analysis.from_sklearn(*wine, scoring="accuracy", learner="GaussianNB",
                                   dataset="wine")
    assert curves["error_rate"].dims == DIMS and curves.sizes["outer"] == 5
    valid = curves["error_rate"].sel(split="valid")
    assert np.allclose(valid.squeeze().values.T, 1 - wine[2])
    assert np.allclose(curves["error_rate"].sel(split="train").squeeze().values.T, 1 - wine[1])
    assert not analysis.detect_shapes(valid)["missing"].item()
    ahead = predict(valid.squeeze(["scaling", "leakage"], drop=True), [256])
    assert 0 <= ahead.sel(quantile=0.5).item() <= 1


@pytest.mark.parametrize(("said", "scoring"), [("Accuracy", "accuracy"), ("R^2", "r2")])
def test_a_display_is_taken_as_it_is(wine, said, scoring):
    display = LearningCurveDisplay(train_sizes=wine[0], train_scores=wine[1], test_scores=wine[2],
                                   score_name=said)
    assert analysis.from_sklearn(display).equals(analysis.from_sklearn(*wine, scoring=scoring))


def test_a_display_of_a_regressor_is_not_taken_for_accuracies():
    X, y = load_diabetes(return_X_y=True)
    display = LearningCurveDisplay.from_estimator(Ridge(), X, y, train_sizes=[30, 60, 120], cv=3,
                                                  scoring="neg_root_mean_squared_error")
    curves = analysis.from_sklearn(display, scoring="neg_root_mean_squared_error")
    error = curves["root_mean_squared_error"]
    assert (error > 0).all() and error.attrs["lower_is_better"] and "error_rate" not in curves


#: As the version at hand calls it: newer ones say that it is negated.
MAX_ERROR = next(n for n in ("neg_max_error", "max_error") if n in get_scorer_names())


@pytest.mark.parametrize(("scoring", "metric", "lower"), [
    ("r2", "r2", False), ("balanced_accuracy", "balanced_accuracy", False),
    ("average_precision", "average_precision", False), ("neg_brier_score", "brier_score", True),
    ("f1_macro", "f1_macro", False), ("neg_mean_squared_error", "mean_squared_error", True),
    ("neg_mean_absolute_error", "mae", True), (MAX_ERROR, "max_error", True),
    ("accuracy", "error_rate", True), ("neg_log_loss", "log_loss", True)])
def test_scorings_have_their_name_and_direction(scoring, metric, lower):
    scores = np.array([[0.5, 0.6], [0.7, 0.8]]) * (-1 if lower and metric != "error_rate" else 1)
    values = analysis.from_sklearn([16, 32], scores, scores, scoring=scoring)[metric]
    assert values.attrs["lower_is_better"] is lower and values.attrs["scoring"] == scoring
    worse, better = values.sel(split="valid").mean("outer").squeeze().values
    assert (worse < better) == (not lower) or scoring.startswith("neg_") or scoring == MAX_ERROR


def test_losses_and_failed_fits():
    scores = np.array([[-0.5, np.nan], [-0.4, -0.3]])
    curves = analysis.from_sklearn([64, 32], scores, scores, scoring="neg_log_loss")
    assert curves["log_loss"].sel(anchor=64, outer=0, split="valid").item() == 0.5
    bad = curves.sel(anchor=64, outer=1)
    assert bad["status"].item() == Status.error and np.isnan(bad["log_loss"]).all()
    assert "no score" in curves["message_text"].values[bad["message"].item()]


@pytest.mark.parametrize(("sizes", "scores", "settings", "error", "said"), [
    ([16, 32], np.zeros((3, 2)), {}, ValueError, "n_folds"),
    ([16, 16], np.zeros((2, 2)), {}, ValueError, "distinct"),
    ([16, np.nan], np.zeros((2, 2)), {}, ValueError, "whole"),
    ([16, np.inf], np.zeros((2, 2)), {}, ValueError, "whole"),
    ([16, 32.5], np.zeros((2, 2)), {}, ValueError, "whole"),
    ([16, 32], np.full((2, 2), 1.5), {}, ValueError, "1.5 is no accuracy"),
    ([16, 32], np.full((2, 2), np.inf), {}, ValueError, "inf is no accuracy"),
    ([16, 32], np.full((2, 2), -np.inf), {"scoring": "neg_log_loss"}, ValueError, "no neg_log"),
    ([16, 32], np.full((2, 2), -0.5), {"scoring": "f1"}, ValueError, "-0.5 is no f1"),
    ([16, 32], np.full((2, 2), 0.5), {"scoring": "neg_log_loss"}, ValueError, "0.5 is no neg_log"),
    ([16, 32], np.full((2, 2), 0.5), {"scoring": MAX_ERROR}, ValueError, "0.5 is no .*max_error"),
    ([16, 32], np.zeros((2, 2)), {"scoring": "acuracy"}, UnknownNameError, "accuracy"),
])
def test_what_is_no_learning_curve_is_refused(sizes, scores, settings, error, said):
    with pytest.raises(error, match=said):
        analysis.from_sklearn(sizes, scores, scores, **({"scoring": "accuracy"} | settings))


def table():
    return pd.DataFrame({"size": [16, 32, 64] * 2, "error": [0.3, 0.2, np.nan, 0.4, 0.3, 0.2],
                         "learner": ["KNN"] * 3 + ["LDA"] * 3})


def test_a_table_says_what_was_not_run():
    curves = analysis.from_table(table().drop(index=5))
    error = curves["error_rate"].sel(split="valid").squeeze()
    assert error.sel(learner="KNN").values[:2].tolist() == [0.3, 0.2]
    status = curves["status"].squeeze()
    assert status.sel(learner="KNN", anchor=64).item() == Status.error
    assert status.sel(learner="LDA", anchor=64).item() == Status.not_run
    assert status.sel(learner="LDA", anchor=16).item() == Status.ok


def test_a_table_comes_back_from_the_container(wine):
    with pytest.warns(UserWarning, match="taken for accuracy"):
        curves = analysis.from_sklearn(*wine)
    tidy = curves["error_rate"].rename("error").to_dataframe().reset_index()
    again = analysis.from_table(tidy, size="anchor")
    assert again["error_rate"].sel(split=["train", "valid"]).equals(curves["error_rate"])


@pytest.mark.parametrize(("change", "error", "said"), [
    (lambda t: t.rename(columns={"error": "eror"}), UnknownNameError, "eror"),
    (lambda t: t.assign(size=[16, -1, 64] * 2), ValueError, "Rows? 1"),
    (lambda t: t.assign(size="many"), ValueError, "Rows 0, 1"),
    (lambda t: t.assign(size=[16, 32.5, np.inf] * 2), ValueError, "Rows 1, 2, 4, 5"),
    (lambda t: t.assign(error=[0.1, 50, -0.5, np.inf, 0.2, 0.3]), ValueError, "Rows 1, 2, 3"),
    (lambda t: t.assign(error=[0.1, "lots", 0, 0, 0, 0]), ValueError, "Rows? 1"),
    (lambda t: t.assign(split="vaild"), ValueError, "train, valid, test"),
    (lambda t: t.assign(leakage="maybe"), ValueError, "no, yes"),
    (lambda t: t.assign(dataset=["a", None, np.nan] * 2), ValueError, "Rows 1, 2, 4, 5: .*dataset"),
    (lambda t: t.assign(repeat=[0, 1, np.nan] * 2), ValueError, "Rows 2, 5: .*outer"),
    (lambda t: t.assign(learner=["KNN", " "] * 3), ValueError, "Rows 1, 3, 5: .*learner"),
    (lambda t: pd.concat([t, t], ignore_index=True), ValueError, "'repeat'"),
])
def test_a_table_that_cannot_be_one_is_refused(change, error, said):
    with pytest.raises(error, match=said):
        analysis.from_table(change(table()))


def test_sizes_as_text_are_numbers():
    found = analysis.from_table(table().assign(size=["9", "16", "128"] * 2))
    assert found["anchor"].values.tolist() == [9, 16, 128]


def test_every_metric_has_its_own_range():
    with pytest.raises(ValueError, match=r"Rows? 0.*AUC"):
        analysis.from_table(table().assign(error=2.0), metric="auc")
    assert analysis.from_table(table().assign(error=-3.0), metric="r2")["r2"].min() == -3


@pytest.mark.parametrize("sizes", [
    [16, 32, 2**63], [16, 32, 1e300], pd.date_range("2020-01-01", periods=3),
    pd.to_timedelta([1, 2, 3], unit="D")])
def test_sizes_that_are_none_are_refused(sizes):
    table = pd.DataFrame({"size": sizes, "error": [0.3, 0.2, 0.1]})
    with pytest.raises(ValueError, match=r"no whole number of rows from 1 to 1e\+12"):
        analysis.from_table(table)


def test_dates_are_no_errors_and_two_columns_are_not_one():
    table = pd.DataFrame({"size": [16, 32], "error": [0.3, 0.2]})
    with pytest.raises(ValueError, match="lies between"):
        analysis.from_table(table.assign(error=pd.to_datetime(["2020", "2021"])))
    twice = pd.concat([table, table[["error"]]], axis=1)
    for odd in (twice, table.assign(error_rate=0.5), table.assign(anchor=1)):
        with pytest.raises(ValueError, match="Two columns are taken for"):
            analysis.from_table(odd)


def test_masked_scores_are_missing():
    scores = np.ma.masked_array([[0.5, 0.6], [0.7, 0.8]], mask=[[False, True], [False, False]])
    curves = analysis.from_sklearn([16, 32], scores, scores, scoring="accuracy")
    values = curves["error_rate"].sel(split="valid").values.ravel()
    assert np.isnan(values).sum() == 1 and curves["status"].values.ravel().tolist().count(0) == 3
    with pytest.raises(ValueError, match="distinct whole numbers"):
        analysis.from_sklearn(np.ma.masked_array([16, 32], mask=[True, False]), scores, scores,
                              scoring="accuracy")


def test_times_that_scikit_learn_returns_are_training_times():
    X, y = load_wine(return_X_y=True)
    found = learning_curve(GaussianNB(), X, y, train_sizes=[20, 40], shuffle=True, cv=3,
                           random_state=0, return_times=True)
    curves = analysis.from_sklearn(*found, scoring="accuracy")
    assert np.array_equal(curves["train_time"].values.ravel(), found[3].T.ravel())
    with pytest.raises(ValueError, match="a function does not say"):
        analysis.from_sklearn(*found, scoring=make_scorer(accuracy_score))


def test_one_target_is_split_by():
    X, y = load_wine(return_X_y=True)
    for given, words in (({}, "give y"), ({"y": np.c_[y, y]}, "Give one column")):
        with pytest.raises(ValueError, match=words):
            next(analysis.LearningCurveSplit().split(X, **given))


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "r2", "balanced_accuracy", "accuracy"])
def test_scores_are_judged_and_predicted_as_the_errors_that_they_are(scoring):
    sizes = np.array([16, 32, 64, 128, 256])
    scores = 0.9 - sizes[:, None] ** -0.5 + np.random.default_rng(0).normal(0, 1e-3, (5, 6))
    curves = analysis.from_sklearn(sizes, scores, scores, scoring=scoring)
    valid = curves[next(iter(set(curves.data_vars) & {
        "auc", "f1", "r2", "balanced_accuracy", "error_rate"}))].sel(split="valid")
    shapes = analysis.detect_shapes(valid)
    assert not shapes["dipping"].item() and not shapes["non_monotone"].item()
    ahead = predict(valid, [512], levels=[0.5])
    assert 0.05 < ahead.item() < 0.25, "an error, lower than the last one"
    table = pd.DataFrame({"size": sizes.repeat(6), "repeat": np.tile(np.arange(6), 5),
                          "score": scores.ravel()})
    tidy = analysis.from_table(table, metric="auc", value="score")["auc"].sel(split="valid")
    assert not analysis.detect_shapes(tidy)["dipping"].item()
    assert predict(tidy, [512], levels=[0.5]).name == "1 - auc"


@pytest.mark.parametrize("given", [None, [1, 2], np.array([1 + 1j]), 3])
def test_what_is_no_path_and_no_frame_is_answered_in_a_line(given):
    for function in (
            analysis.load_curves, analysis.load_evaluations, analysis.load_labels,
            analysis.load_predictions, analysis.load_results, analysis.load_table,
            analysis.from_table, analysis.standard_error,
            analysis.leaderboards.order):
        with pytest.raises(TypeError, match=rf"^{function.__name__}: \w+ has to be a .*, not "):
            function(given)


def test_complex_errors_are_refused():
    table = pd.DataFrame({"size": [8, 16], "error": [0.5, 0.4 + 1j]})
    for dtype in (complex, object):
        with pytest.raises(ValueError, match="error rate lies between 0 and 1, not"):
            analysis.from_table(table.astype({"error": dtype}))
    scores = np.full((5, 3), 0.5 + 1j)
    with pytest.raises(ValueError, match="not complex"):
        analysis.from_sklearn(np.array([8, 16, 32, 64, 128]), scores, scores, scoring="accuracy")
    with pytest.raises(TypeError, match="not complex128"):
        analysis.standard_error(xr.DataArray(np.ones((5, 5)) * 1j, dims=["outer", "inner"]))
