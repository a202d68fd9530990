"""PMLBmini's baselines against the published numbers, and against independent computations."""

import sys
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from collection.learners import small
from collection.tasks import Task, load_task


def objective(w, X, y, penalty):
    """Sum of log-losses plus λ/2·|w|², the last weight being the free intercept."""
    margin = (2 * y - 1) * (X @ w[:-1] + w[-1])
    return np.logaddexp(0, -margin).sum() + penalty / 2 * (w[:-1] ** 2).sum()


@given(seed=st.integers(0, 99), penalty=st.sampled_from(small.PENALTIES))
@settings(max_examples=10, deadline=None)
def test_the_penalty_is_the_published_objectives(seed, penalty):
    X, y = make_classification(40, 4, n_redundant=0, flip_y=0.2, random_state=seed)
    model = small.NestedLogistic(penalties=(penalty,)).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / (high - low)
    best = minimize(objective, np.zeros(5), (scaled, y, penalty), tol=1e-10).x
    p = 1 / (1 + np.exp(-(scaled @ best[:-1] + best[-1])))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], p, atol=1e-3)


def test_the_choice_is_by_summed_deviance_of_rows_held_out():
    X, y = make_classification(60, 6, flip_y=0.3, random_state=1)
    model = small.NestedLogistic().fit(X, y)
    expected = np.zeros(len(small.PENALTIES))
    for fitted, held in StratifiedKFold(3).split(X, y):
        for k, penalty in enumerate(small.PENALTIES):
            one = small.NestedLogistic(penalties=(penalty,)).fit(X[fitted], y[fitted])
            p = one.predict_proba(X[held])[np.arange(len(held)), y[held]]
            expected[k] -= 2 * np.log(p).sum()
    np.testing.assert_allclose(model.deviance_, expected, rtol=1e-9)
    assert model.best_params_ == {"lambda": small.PENALTIES[expected.argmin()]}


def read(published, name):
    frame = pd.read_csv(published / "pmlb" / name / f"{name}.tsv.gz", sep="\t")
    y = frame.pop("target").to_numpy()
    return frame.to_numpy(float), y


def mean_auc(make, X, y):
    models = ((make().fit(X[train], y[train]), test)
              for train, test in StratifiedKFold(3).split(X, y))
    return np.mean([roc_auc_score(y[test], model.decision_function(X[test]))
                    for model, test in models])


@pytest.mark.parametrize("method, make, library", [
    ("LightGBM", small.NativeLightGBM, "lightgbm"), ("XGBoost", small.Table4XGBoost, "xgboost"),
    ("CatBoost", small.Table4CatBoost, "catboost")])
def test_table_4_comes_back(published, method, make, library):
    pytest.importorskip(library)
    table = pd.read_csv(published / "pmlbmini" / "results.csv")
    table = table[table["method"] == method].set_index("dataset")["score"]
    some = ["parity5", "analcatdata_fraud", "lupus", "mux6", "backache", "heart_h", "irish"]
    for name in some:
        assert mean_auc(make, *read(published, name)) == pytest.approx(table[name], abs=0.00501)


def test_table_3s_training_auc_and_penalty_come_back(published):
    table = pd.read_csv(published / "pmlbmini" / "results.csv")
    table = table[(table["method"] == "Logistic regression") & (table["split"] == "train")]
    auc = table.set_index("dataset")["score"]
    penalties = pd.read_csv(published / "pmlbmini" / "lambda.csv").set_index("dataset")["lambda"]
    for name in ("parity5", "analcatdata_aids", "labor", "glass2", "prnn_synth", "saheart"):
        X, y = read(published, name)
        model = small.NestedLogistic().fit(X, y)
        assert model.best_params_["lambda"] == penalties[name]
        assert roc_auc_score(y, model.predict_proba(X)[:, 1]) == pytest.approx(auc[name], abs=5e-3)


def test_two_classes_only():
    pytest.importorskip("lightgbm")
    X, y = make_classification(60, n_informative=3, n_classes=3, random_state=0)
    with pytest.raises(ValueError, match="two classes, not 3"):
        small.NativeLightGBM().fit(X, y)


def test_few_rows_are_not_split_and_labels_are_by_half():
    pytest.importorskip("lightgbm")
    X, y = make_classification(39, 4, random_state=0)
    assert len(set(small.NativeLightGBM().fit(X, y).decision_function(X))) == 1
    X, y = make_classification(80, 4, random_state=0)
    model = small.NativeLightGBM().fit(X, y + 5)
    assert set(model.predict(X)) == {5, 6}
    np.testing.assert_array_equal(model.predict(X) == 6, model.decision_function(X) > 0.5)


@pytest.fixture
def calls(monkeypatch):
    """A stand-in that notes how it is called and predicts by the first feature."""
    seen = {}

    class TabularPredictor:
        def __init__(self, label, **settings):
            seen.update(label=label, **settings)

        def fit(self, frame, **settings):
            seen.update(settings, classes=sorted(set(frame[small.LABEL])), rows=len(frame))

        def predict_proba(self, frame):
            p = (frame["x0"] > frame["x0"].median()).astype(float)
            return pd.DataFrame({1: p, 0: 1 - p})  # columns in an order of its own

    module = ModuleType("autogluon.tabular")
    module.TabularPredictor = TabularPredictor
    monkeypatch.setitem(sys.modules, "autogluon.tabular", module)
    return seen


def test_it_is_given_the_label_the_metric_and_the_limit(calls):
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    model = small.AutoGluon(time_limit=3).fit(X, y)
    assert (calls["label"], calls["eval_metric"]) == (small.LABEL, "roc_auc")
    assert (calls["time_limit"], calls["presets"], calls["num_cpus"]) == (3, "best_quality", 1)
    assert calls["rows"] == 20 and calls["classes"] == [0, 1]
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], y)


@pytest.mark.skipif(find_spec("autogluon") is None, reason="needs the extra automl")
def test_it_learns():
    task = load_task(Task("sklearn:breast_cancer"))
    X, y = task.dataset.features, task.labels
    model = small.AutoGluon(time_limit=20).fit(X[:200], y[:200])
    assert (model.predict(X[200:]) == y[200:]).mean() > 0.8
