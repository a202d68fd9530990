"""One evaluation: against scikit-learn done plainly, and bagging against its definition."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from plain_columns import plain_columns
from sklearn import metrics as sk
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from collection.containers.curves import CurveKey, Status
from collection.containers.evaluations import Predictions
from collection.datasets import load_dataset
from collection.learners import find_learner
from collection.learners.families.stepwise import EarlyStopped
from collection.running.curve import curve_fits
from collection.running.evaluate import CLOCKS, Protocol, evaluate
from collection.running.fitting import NOT_NUMBERS, measure_splits
from collection.tasks import CrossValidation, Task, TaskError, load_task

THREE = CrossValidation(3)
ONE_FIT = Protocol()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A task of two classes with categories and missing values."""
    rng, n = np.random.default_rng(5), 120
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame({
        "size": np.where(rng.random(n) < 0.1, np.nan, y + rng.normal(size=n)),
        "colour": np.where(rng.random(n) < 0.1, None, np.array(["red", "blue", "green"])[
            (y + (rng.random(n) < 0.4)) % 3]),
        "scale": 1000 * rng.normal(size=n) + 300 * y, "y": np.array(["no", "yes"])[y]})
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    frame.to_csv(path, index=False)
    return load_task(Task(f"csv:{path}?target=y", procedure=THREE))


def one(task, learner, protocol=ONE_FIT, predictions=True):
    found = find_learner(learner, task.dataset.is_regression)
    *ticks, evaluation = evaluate(task, found, 0, 1, protocol, predictions)
    assert ticks == [None] * (max(protocol.bags, 1) - 1)
    return evaluation


def plainly(task, learner, scaling):
    """The pipeline that one would write with scikit-learn."""
    found = find_learner(learner, task.dataset.is_regression)
    return make_pipeline(plain_columns(task.dataset, scaling), found.load()(**found.settings))


@pytest.mark.parametrize("scaling", ["none", "standard"])
@pytest.mark.parametrize("learner", ["LogisticRegression", "Decision Tree", "KNN"])
def test_one_fit_is_scikit_learns(mixed, learner, scaling):
    evaluation, fold = one(mixed, learner, Protocol(scaling=scaling)), mixed.fold(0, 1)
    X, y = mixed.dataset.features, mixed.labels
    model = plainly(mixed, learner, scaling).fit(X.iloc[fold.train], y[fold.train])
    for place, rows in ((0, fold.train), (2, fold.test)):
        score = model.predict_proba(X.iloc[rows])[:, 1]
        found = {name: values[place] for name, values in evaluation.measures.items()}
        assert found["error_rate"] == pytest.approx(
            1 - sk.accuracy_score(y[rows], model.predict(X.iloc[rows])))
        assert found["auc"] == pytest.approx(sk.roc_auc_score(y[rows], score))
        assert found["f1"] == pytest.approx(
            sk.f1_score(y[rows], model.predict(X.iloc[rows]), average="weighted"))
    np.testing.assert_allclose(evaluation.predictions["test"].stored, score, atol=1e-9)
    assert "valid" not in evaluation.predictions
    assert np.isnan([values[1] for values in evaluation.measures.values()]).all()
    assert evaluation.train_time > 0 and np.isnan(evaluation.predict_time[1])


def bagged(task, learner, protocol, predict):
    """Bagging by its definition, row by row; `predict` gives numbers for rows."""
    fold, X, y = task.fold(0, 1), task.dataset.features, task.labels
    kind = KFold if task.dataset.is_regression else StratifiedKFold
    folds = kind(protocol.bags, shuffle=True, random_state=protocol.seed)
    train_X, train_y, test_X = X.iloc[fold.train], y[fold.train], X.iloc[fold.test]
    out_of_fold, on_train, on_test = {}, [], []
    for inner, held_out in folds.split(train_X, train_y):
        model = clone(plainly(task, learner, protocol.scaling))
        model.fit(train_X.iloc[inner], train_y[inner])
        for row, said in zip(held_out, predict(model, train_X.iloc[held_out]), strict=True):
            assert row not in out_of_fold
            out_of_fold[row] = said
        on_train.append(predict(model, train_X))
        on_test.append(predict(model, test_X))
    valid = np.array([out_of_fold[row] for row in range(len(fold.train))])
    return np.mean(on_train, axis=0), valid, np.mean(on_test, axis=0)


@pytest.mark.parametrize(("learner", "kind", "predict"), [
    ("LogisticRegression", "probability", lambda model, X: model.predict_proba(X)),
    ("GaussianNB", "probability", lambda model, X: model.predict_proba(X)),
    ("RidgeClassifier", "score", lambda model, X: model.decision_function(X)),
    pytest.param("NearestCentroid", "label", lambda model, X: np.eye(2)[model.predict(X)],
                 marks=pytest.mark.skipif(hasattr(NearestCentroid, "predict_proba"),
                                          reason="gives probabilities now"))])
def test_bagging_is_the_mean_of_what_the_models_say(mixed, learner, kind, predict):
    protocol = Protocol(bags=4, seed=3, scaling="standard")
    evaluation, fold = one(mixed, learner, protocol), mixed.fold(0, 1)
    expected = bagged(mixed, learner, protocol, predict)
    for said, mean in zip(evaluation.predictions.values(), expected[1:], strict=True):
        assert said.kind == kind
        np.testing.assert_allclose(said.values if mean.ndim == 2 else said.stored, mean, atol=1e-9)
    measures = evaluation.measures
    assert ("auc" in measures, "log_loss" in measures) == (kind != "label", kind == "probability")
    for place, rows in enumerate((fold.train, fold.train, fold.test)):
        true, said = mixed.labels[rows], expected[place]
        if kind != "score":
            assert measures["error_rate"][place] == pytest.approx(
                np.mean(said.argmax(axis=1) != true))
        if kind == "probability":
            assert measures["auc"][place] == pytest.approx(sk.roc_auc_score(true, said[:, 1]))
            assert measures["log_loss"][place] == pytest.approx(sk.log_loss(true, said))


def test_bagging_of_numbers_is_its_definition():
    task, protocol = load_task(Task("sklearn:diabetes", procedure=THREE)), Protocol(bags=5, seed=1)
    evaluation, fold = one(task, "KNN", protocol), task.fold(0, 1)
    expected = bagged(task, "KNN", protocol, lambda model, X: model.predict(X))
    for place, rows in enumerate((fold.train, fold.train, fold.test)):
        true = task.labels[rows]
        found = {name: values[place] for name, values in evaluation.measures.items()}
        assert found["rmse"] == pytest.approx(sk.mean_squared_error(true, expected[place]) ** 0.5)
        assert found["mae"] == pytest.approx(sk.mean_absolute_error(true, expected[place]))
        assert found["r2"] == pytest.approx(sk.r2_score(true, expected[place]))
    np.testing.assert_allclose(evaluation.predictions["valid"].values, expected[1])


@pytest.mark.parametrize("learner", [
    "sklearn.model_selection.GridSearchCV(estimator=sklearn.svm.SVC(), param_grid={'C': [1, 9]})",
    "sklearn.model_selection.GridSearchCV(estimator=sklearn.pipeline.Pipeline(steps=[('scale', "
    "sklearn.preprocessing.MinMaxScaler()), ('svm', sklearn.svm.SVC())]), cv=sklearn."
    "model_selection.StratifiedKFold(n_splits=3), param_grid={'svm__C': [1, 9]})"])
def test_what_a_learners_own_tuning_chose_is_recorded_per_fit(mixed, learner):
    evaluation = one(mixed, learner)
    assert [set(chosen.values()) <= {1, 9} for chosen in evaluation.chosen] == [True]
    assert len(one(mixed, learner, Protocol(bags=3)).chosen) == 3
    assert one(mixed, "KNN").chosen == ()


def test_a_learners_error_is_the_evaluations_outcome(mixed):
    evaluation = one(mixed, "sklearn.svm.SVC(C=-1)")
    assert evaluation.status == Status.error and "InvalidParameter" in evaluation.message
    assert evaluation.measures == {} and evaluation.predictions is None


def test_a_class_smaller_than_the_bags_is_refused(tmp_path):
    pd.DataFrame({"x": range(40), "y": ["a"] * 34 + ["b"] * 6}).to_csv(tmp_path / "s.csv")
    task = load_task(Task(f"csv:{tmp_path}/s.csv?target=y", procedure=THREE))
    with pytest.raises(TaskError, match=r"fold 1: class 'b' has 4 training row\(s\), fewer than t"):
        one(task, "KNN", Protocol(bags=8))
    numbers = load_task(Task("sklearn:diabetes", procedure=THREE))
    with pytest.raises(TaskError, match="295 training rows, fewer than the 300 bags"):
        one(numbers, "KNN", Protocol(bags=300))


def test_predictions_that_are_no_numbers_have_no_metrics():
    true = {"test": np.array([0, 1, 1])}
    odd = Predictions("probability", np.array([[1, 0], [np.nan, np.nan], [0, 1]]),
                      np.array([0, 1, 1]))
    measures, message = measure_splits(true, {"test": odd})
    assert message == NOT_NUMBERS and {"error_rate", "f1"} <= set(measures)
    assert not {"auc", "log_loss"} & set(measures)
    assert np.isnan(measures["error_rate"][:2]).all() and measures["error_rate"][2] == 0


class Clocked(EarlyStopped):
    """Takes a second of a clock of its own to fit, and none to predict."""

    now, given = 0.0, ()

    def fit(self, X, y, held_out=None):
        Clocked.now, Clocked.given = Clocked.now + 1, (*Clocked.given, self.time_limit)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_what_is_left_of_the_limit_is_shared_by_the_bags_left(mixed, monkeypatch):
    monkeypatch.setattr(Clocked, "given", ())
    monkeypatch.setitem(CLOCKS, "wall", lambda: Clocked.now)
    learner = dataclasses.replace(find_learner("KNN"), path=f"{__name__}.Clocked", settings={})
    monkeypatch.setattr(type(learner), "load", lambda self: Clocked)
    *_, made = evaluate(mixed, learner, 0, 0, Protocol(bags=4, config_limit=10.0))
    assert made.status == Status.ok and made.train_time == 4
    assert Clocked.given == (10 / 4, 9 / 3, 8 / 2, 7 / 1)
    *_, made = evaluate(mixed, learner, 0, 0, Protocol(bags=2, config_limit=0.5))
    assert Clocked.given[4:] == (0.5 / 2, 0.0)  # nothing is left, and no less


@pytest.mark.parametrize("bags", [0, 3])
@pytest.mark.parametrize("liar", ["Unsorted", "Careless"])
def test_the_order_of_classes_and_changed_data_do_not_matter(mixed, liar, bags):
    protocol = Protocol(bags=bags)
    plain = one(mixed, "sklearn.naive_bayes.GaussianNB", protocol)
    lying = one(mixed, f"misbehaving.{liar}", protocol)
    assert lying.status == Status.ok and not lying.message
    for name, values in plain.measures.items():
        assert lying.measures[name] == pytest.approx(values, nan_ok=True), name
    np.testing.assert_allclose(lying.predictions["test"].values, plain.predictions["test"].values)


def test_numbers_that_are_no_probabilities_have_a_status_of_their_own(mixed):
    found = one(mixed, "misbehaving.Overconfident")
    assert found.status == Status.invalid and not found.measures
    assert found.message.startswith("its probabilities are not between 0 and 1: they go from -0.2")


def test_in_a_curve_as_well():
    iris = load_dataset("sklearn:iris")
    key = CurveKey("sklearn:iris", "sklearn.naive_bayes.GaussianNB", "none", "no", 0, 0)
    plain, unsorted, careless, sure = (
        list(curve_fits(iris, dataclasses.replace(key, learner=name), (16, 32))) for name in (
            key.learner, "misbehaving.Unsorted", "misbehaving.Careless",
            "misbehaving.Overconfident"))
    for fits in (unsorted, careless):
        assert [f.auc for f in fits] == [f.auc for f in plain]
        assert [f.error_rate for f in fits] == [f.error_rate for f in plain]
    assert {f.status for f in sure} == {Status.invalid}
