"""AutoGluon: how it is called, on a stand-in; on itself where it is installed."""

import sys
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from collection.learners.small import LABEL, AutoGluon
from collection.tasks import Task, load_task


@pytest.fixture
def calls(monkeypatch):
    """A stand-in that notes how it is called and predicts by the first feature."""
    seen = {}

    class TabularPredictor:
        def __init__(self, label, **settings):
            seen.update(label=label, **settings)

        def fit(self, frame, **settings):
            seen.update(settings, classes=sorted(set(frame[LABEL])), rows=len(frame))

        def predict_proba(self, frame):
            p = (frame["x0"] > frame["x0"].median()).astype(float)
            return pd.DataFrame({1: p, 0: 1 - p})  # columns in an order of its own

    module = ModuleType("autogluon.tabular")
    module.TabularPredictor = TabularPredictor
    monkeypatch.setitem(sys.modules, "autogluon.tabular", module)
    return seen


def test_it_is_given_the_label_the_metric_and_the_limit(calls):
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    model = AutoGluon(time_limit=3).fit(X, y)
    assert (calls["label"], calls["eval_metric"]) == (LABEL, "roc_auc")
    assert (calls["time_limit"], calls["presets"], calls["num_cpus"]) == (3, "best_quality", 1)
    assert calls["rows"] == 20 and calls["classes"] == [0, 1]
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], y)


@pytest.mark.skipif(find_spec("autogluon") is None, reason="needs the extra automl")
def test_it_learns():
    task = load_task(Task("sklearn:breast_cancer"))
    X, y = task.dataset.features, task.labels
    model = AutoGluon(time_limit=20).fit(X[:200], y[:200])
    assert (model.predict(X[200:]) == y[200:]).mean() > 0.8
