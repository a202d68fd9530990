"""What is in memory, gathered and evaluated: tables, and classes that no process can import."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import collection
from analysis import load_curves, load_evaluations
from collection.datasets.dataset import DatasetError
from collection.learners.learner import LearnerSpecError, to_spec
from collection.store.merge import merge

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
FRAME = pd.DataFrame(X, columns=["one", "two"]).assign(label=Y)


def made_here(place: int) -> type:
    """Return a class as a notebook makes one: nobody else can import it."""
    class Mine(ClassifierMixin, BaseEstimator):
        def __init__(self, k=1):
            self.k = k

        def fit(self, x, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, x):
            return np.tile(np.eye(2)[place], (len(x), 1))

        def predict(self, x):
            return np.full(len(x), self.classes_[place])

    return Mine


def test_tables_and_a_class_of_a_notebook_are_evaluated_resumed_and_merged(tmp_path):
    mine = made_here(0)
    learners = [mine(k=3), Pipeline([("scale", StandardScaler()), ("mine", mine())])]
    tables = {"arrays": (X, Y), "frame": (FRAME, "label")}
    settings = {"folds": 2, "workers": 1, "metrics": "error_rate"}
    found = collection.evaluate(tables, learners, tmp_path / "runs", **settings)
    assert (found.stored, found.lost) == (8, {})
    again = collection.evaluate(tables, learners, tmp_path / "runs", **settings)
    assert (again.stored, again.found) == (0, 8)
    collection.evaluate({"arrays": (X.copy(), Y)}, "KNN", tmp_path / "other", **settings)
    merge([tmp_path / "runs", tmp_path / "other"], tmp_path / "all")
    runs = load_evaluations(tmp_path / "all")
    assert runs["task"].values.tolist() == ["arrays", "frame"]
    error = runs["error"].sel(split="test", learner=to_spec(learners[0])).values
    np.testing.assert_allclose(error, 0.5)  # always the first class, which half the rows are


def test_curves_of_both(tmp_path):
    found = collection.collect({"arrays": (X, Y)}, made_here(1)(), tmp_path / "curves",
                               outer="0", inner="0", anchors="16", workers=1)
    assert (found.stored, found.lost) == (1, {})
    assert load_curves(tmp_path / "curves")["learner"].item().startswith("by_value.Mine_")


def test_what_cannot_be_done_is_said_before_anything_is_kept(tmp_path):
    with pytest.raises(DatasetError, match="no column 'nothing'"):
        collection.evaluate({"mine": (FRAME, "nothing")}, "KNN", tmp_path / "runs")
    with pytest.raises(LearnerSpecError, match="parameter k is <function"):
        collection.evaluate({"mine": (X, Y)}, made_here(0)(k=made_here), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
