import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from plain_columns import plain_columns
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from collection.containers.curves import SPLITS, CurveKey, Status
from collection.datasets import Dataset
from collection.learners.registry import CLASSIC, MIXED, Learner
from collection.project.naming import UnknownNameError
from collection.protocol.designs import Design, OneHotDesigns
from collection.protocol.splits import ProtocolError, split_rows
from collection.running import fitting
from collection.running.curve import curve_anchors, curve_fits, fit_once


@pytest.fixture(scope="module")
def dataset():
    """Numbers, categories and gaps; three classes, one of them rare."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [40, 34, 6])
    rng.shuffle(y)
    colour = np.array(["blue", "green", "red"])[(y + (rng.random(80) < 0.3)) % 3]
    features = pd.DataFrame({
        "x": rng.normal(size=80) + y,
        "colour": pd.Categorical(colour),
        "rare": pd.Categorical(rng.integers(0, 12, 80).astype(str)),
        "gaps": np.where(rng.random(80) < 0.2, np.nan, rng.random(80) * (1 + y)),
    })
    return Dataset("small", features, np.array(["a", "b", "c"])[y], "test:small", "none")


def _task(dataset, learner="GaussianNB", scaling="none", leakage="no", outer=0, inner=0):
    return CurveKey(dataset.source, learner, scaling, leakage, outer, inner)


def _plain_labels(dataset, learner, scaling, anchor):
    """Fit and predict as one would with scikit-learn alone: a pipeline per fit, text labels."""
    split = split_rows(dataset.target, 0, 0)
    X, y = dataset.features, dataset.target
    train = split.train[:anchor]
    model = make_pipeline(plain_columns(dataset, scaling), learner.load()(**learner.settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X.iloc[train], y[train])
        return [model.predict(X.iloc[rows]) for rows in (train, split.valid, split.test)]


@pytest.mark.parametrize("scaling", ["none", "minmax", "standard"])
@pytest.mark.parametrize("learner", CLASSIC, ids=lambda learner: learner.name)
def test_predictions_are_those_of_a_plain_pipeline(dataset, learner, scaling):
    if (learner.name, scaling) == ("QDA", "standard"):
        pytest.skip("one-hot columns add up to 1: a singular covariance, predictions are rounding")
    for fit in curve_fits(dataset, _task(dataset, learner.name, scaling), [20, 45], True):
        if fit.status is Status.ok:
            expected = _plain_labels(dataset, learner, scaling, fit.anchor)
            for split, labels in zip(SPLITS, expected, strict=True):
                codes = fit.predictions[f"{split}_label"]
                np.testing.assert_array_equal(np.array(["a", "b", "c"])[codes], labels)
        else:
            with pytest.raises(ValueError, match=r".") as failure:
                _plain_labels(dataset, learner, scaling, fit.anchor)
            said = str(failure.value)  # where it names a class, ours are codes
            for code, label in enumerate("abc"):
                said = said.replace(f"class {label} ", f"class {code} ")
            assert fit.message == f"{failure.type.__name__}: {said}"


@pytest.mark.parametrize("learner", MIXED, ids=lambda learner: learner.name)
@pytest.mark.parametrize("leakage", ["no", "yes"])
def test_mixed_naive_bayes_takes_every_scaling(dataset, learner, leakage):
    for scaling in ("none", "minmax", "standard"):
        *_, last = curve_fits(dataset, _task(dataset, learner.name, scaling, leakage), [16, 64])
        negative = scaling == "standard" or (scaling == "none" and "Gauss" not in learner.name)
        if last.status is Status.ok:
            assert last.error_rate[0] < 0.5
        else:  # multinomial and complement naive Bayes take no negative numbers
            assert negative
            assert "Negative values" in last.message


def test_a_curve_is_lazy_and_its_anchors_independent(dataset):
    fits = curve_fits(dataset, _task(dataset, "Decision Tree"))
    first, second = next(fits), next(fits)
    assert (first.anchor, second.anchor) == (16, 18)
    (alone,) = curve_fits(dataset, _task(dataset, "Decision Tree"), [18])
    assert alone.error_rate == second.error_rate
    assert curve_anchors(dataset) == [16, 18, 20, 21, 23, 25, 27, 30, 32, 35, 39, 42, 46, 50, 54,
                                      59, 64]


def test_learners_without_a_random_state_are_seeded_too(dataset):
    np.random.seed(0)  # noqa: NPY002
    before = [f.error_rate for f in curve_fits(dataset, _task(dataset, "MLP"), [16])]
    np.random.rand(5)  # noqa: NPY002
    assert [f.error_rate for f in curve_fits(dataset, _task(dataset, "MLP"), [16])] == before


@pytest.mark.skipif(hasattr(NearestCentroid, "predict_proba"), reason="gives probabilities now")
def test_scores_that_a_learner_lacks_are_nan(dataset):
    (centroid,) = curve_fits(dataset, _task(dataset, "NearestCentroid"), [60])
    assert np.isnan([*centroid.auc, *centroid.log_loss]).all()
    (ridge,) = curve_fits(dataset, _task(dataset, "RidgeClassifier"), [60], predictions=True)
    assert np.isnan(ridge.log_loss).all()
    assert np.isfinite(ridge.auc).all()
    assert ridge.predictions["valid_score"].shape == (len(ridge.predictions["valid_label"]), 3)


def test_failures_are_recorded_with_their_reason(dataset):
    negative = dataclasses.replace(dataset, features=dataset.features.assign(x=-1.0))
    fits = list(curve_fits(negative, _task(dataset, "MultinomialNB"), [16, 32]))
    assert [fit.anchor for fit in fits] == [16, 32]
    assert all(fit.status is Status.error for fit in fits)
    assert fits[0].message.startswith("ValueError: Negative values")
    assert np.isnan([*fits[0].error_rate, fits[0].train_time]).all()


class Broken(ClassifierMixin, BaseEstimator):
    """Fails as told: out of memory, or scores that are not numbers."""

    def __init__(self, how="memory"):
        self.how = how

    def fit(self, X, y):
        if self.how == "memory":
            raise MemoryError("no room")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


def _design():
    y = np.array([0, 1, 0, 1])
    return Design((np.zeros((4, 1)),) * 3, (y, y, y), 2, 1, 0)


def test_out_of_memory_is_a_status_of_its_own():
    fit = fit_once(Learner("broken", f"{__name__}.Broken"), _design(), 16)
    assert (fit.status, fit.message) == (Status.memory, "MemoryError: no room")


@pytest.mark.parametrize("where", ["__init__", "at"])
def test_no_room_for_the_data_is_recorded_for_every_anchor(dataset, monkeypatch, where):
    def no_room(*args, **kwargs):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(OneHotDesigns, where, no_room)
    fresh = dataclasses.replace(dataset)  # nothing prepared for it yet
    fits = list(curve_fits(fresh, _task(dataset), [16, 32]))
    assert [(fit.anchor, fit.status) for fit in fits] == [(16, Status.memory), (32, Status.memory)]
    assert "9 TiB" in fits[0].message


def test_scores_that_are_not_numbers_leave_the_labels_measured():
    fit = fit_once(Learner("nan", f"{__name__}.Broken", {"how": "nan"}), _design(), 16)
    assert fit.status is Status.ok
    assert fit.error_rate == (0.5, 0.5, 0.5)
    assert np.isnan([*fit.auc, *fit.log_loss]).all()
    assert "not numbers" in fit.message


def test_one_class_in_the_training_set(dataset):
    target = np.where(np.arange(80) < 6, "rare", "common")
    lopsided = dataclasses.replace(dataset, target=target)
    tasks = [_task(lopsided, "KNN", outer=o) for o in range(5)]
    fits = [next(curve_fits(lopsided, task)) for task in tasks]
    assert all(fit.status is Status.ok for fit in fits)
    assert any(np.isnan(fit.auc[0]) for fit in fits)  # one class among 16 training rows
    assert all(np.isfinite(fit.log_loss).all() for fit in fits)


@pytest.mark.parametrize("wrong", [{"learner": "KNNN"}, {"scaling": "max"}, {"leakage": "maybe"}])
def test_unknown_names_are_refused_before_any_fit(dataset, wrong):
    with pytest.raises(UnknownNameError):
        next(curve_fits(dataset, _task(dataset, **wrong)))


def test_a_dataset_that_cannot_be_split_says_why(dataset):
    one_class = dataclasses.replace(dataset, target=np.full(80, "a"))
    with pytest.raises(ProtocolError, match="one class"):
        next(curve_fits(one_class, _task(dataset)))


def test_a_metric_of_tasks_alone_does_not_keep_a_curve_from_being_fitted(
        monkeypatch, dataset):
    measure = fitting.measure
    monkeypatch.setattr(fitting, "measure", lambda *of: {**measure(*of), "made_up_error": 0.5})
    (fit,) = curve_fits(dataset, _task(dataset, "KNN"), [16])
    assert fit.status == Status.ok and 0 <= fit.error_rate[2] < 1
