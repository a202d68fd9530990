"""The baselines' study: folds and whole data, resumed, exported, failures kept as failures."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from collection.running.pmlbmini import PAPER, read_study, run_study, summarise
from collection.shipped.small import METHODS
from collection.store.connection import NoStoreError
from collection.suites.suite import Suite
from collection.tasks import Task
from lab.shipped import small
from lab.shipped.__main__ import main

TASK = Task("sklearn:breast_cancer", procedure=PAPER)
LIMITS = {"WORKERS": 1, **small.LIMITS}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    run_study([TASK], ["KNN", "sklearn.linear_model.LogisticRegression(C=-1.0)"], out, **LIMITS)
    return out


def test_folds_test_and_the_whole_trains(study):
    X, y = load_breast_cancer(return_X_y=True)
    y = 1 - y  # classes in the order of their names: benign, malignant
    models = ((KNeighborsClassifier().fit(X[a], y[a]), b)
              for a, b in StratifiedKFold(3).split(X, y))
    expected = [roc_auc_score(y[b], model.predict_proba(X[b])[:, 1]) for model, b in models]
    found = summarise(read_study(study)).set_index(["method", "split"])["auc"]
    assert found["KNN", "test"] == pytest.approx(np.mean(expected))
    model = KNeighborsClassifier().fit(X, y)
    assert found["KNN", "train"] == pytest.approx(roc_auc_score(y, model.predict_proba(X)[:, 1]))


def test_a_failure_is_a_failure_and_no_number(study):
    failed = summarise(read_study(study)).query("method.str.contains('C=-1.0')")
    assert len(failed) == 2 and failed["auc"].isna().all()
    assert set(failed["status"]) == {"error"} and failed["message"].str.contains("C").all()


def test_one_failed_fold_fails_the_mean():
    rows = pd.DataFrame({"dataset": "d", "learner": "m", "split": "test", "fold": [0, 1],
                         "auc": [0.9, np.nan], "status": ["ok", "timeout"],
                         "message": ["", "stopped after 1 s"], "hyperparameters": ["", None],
                         "seconds": [1.0, np.nan]})
    (row,) = summarise(rows).to_dict("records")
    assert np.isnan(row["auc"]) and (row["status"], row["message"]) == ("timeout",
                                                                       "stopped after 1 s")


def test_the_command_evaluates_exports_and_says_what_is_absent(
        study, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(small, "find_suite", lambda name: Suite("s", "1", (TASK,)))
    file = tmp_path / "b.csv"
    wanted = ["small", "--stores", str(study), "--to", str(file)]
    assert main([*wanted, "WORKERS=1", "METHODS='Random forest'"]) == 0
    assert "AutoPrognosis was not run: published results only" in capsys.readouterr().out
    told = pd.read_csv(file)
    status = told.groupby("method")["status"].agg(set)
    assert set(status.index) == set(METHODS)
    assert status["Random forest"] == {"ok"} and status["TabPFN"] == {"not_run"}
    told.loc[told["method"] == "TabPFN", "message"] = "no weights at that time"
    told.to_csv(file, index=False)
    before = file.read_bytes()
    assert main([*wanted, "--export"]) == 0
    assert "TabPFN was not run: no weights at that time" in capsys.readouterr().out
    assert file.read_bytes() == before
    with pytest.raises(NoStoreError):
        read_study(tmp_path / "elsewhere")
    assert main(["small", "--export", "--stores", str(tmp_path / "no"), "--to", "x.csv"]) == 1
    assert "small:" in capsys.readouterr().err
