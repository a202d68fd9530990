"""A study as a whole: resumed, extended, killed, limited, on one worker or two."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from collection.containers.curves import Status
from collection.containers.evaluations import METRICS
from collection.datasets import DatasetError
from collection.learners import LearnerSpecError, find_learner
from collection.project.naming import UnknownNameError
from collection.project.parameters import SettingsError
from collection.running.evaluate import Protocol, evaluate
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run
from collection.store import evaluation_reader as reader
from collection.store.base import ChangedSettingsError
from collection.tasks import CrossValidation, Task, TaskError, load_task

TIMES = [*METRICS["train_time"].columns, *METRICS["predict_time"].columns, "seconds", "worker",
         "finished"]
WHAT = {"TASKS": "keel:wine sklearn:iris sklearn:diabetes", "LEARNERS": "KNN DT GaussianNB",
        "FOLDS": "5", "BAGS": "3", "PREDICTIONS": "yes", "WORKERS": "1"}
SPLITS = ("valid", "test")


def study(folder, **changes):
    settings = check_settings({**WHAT, "OUT": str(folder), **changes})
    return run(settings, make_plan(settings))


def plan(**changes):
    return make_plan(check_settings({**WHAT, **changes}))


def numbers(folder):
    """All metrics that a store holds, and what was predicted, but for times."""
    table = reader.read_evaluations(folder).drop(columns=TIMES)
    said = {place: reader.read_predictions(folder, *place).sortby("learner")
            for place in product(table["task"].unique(), range(5), SPLITS)}
    return table, said


def assert_same(folder, other):
    (table, said), (expected, expected_said) = numbers(folder), numbers(other)
    pd.testing.assert_frame_equal(table, expected)
    assert said.keys() == expected_said.keys()
    assert all(said[key].equals(expected_said[key]) for key in said)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """A store that one worker made in one go."""
    folder = tmp_path_factory.mktemp("reference")
    outcome = study(folder)
    assert (outcome.stored, outcome.found, dict(outcome.lost)) == (40, 0, {})
    return folder


def test_a_study_has_every_learner_on_every_fold_that_it_suits(reference):
    container = reader.open_evaluations(reference)
    assert dict(container.sizes) | {"message_id": 1} == {
        "task": 3, "learner": 3, "repeat": 1, "fold": 5, "split": 3, "message_id": 1}
    status = container["status"].sel(repeat=0)
    assert (status.sel(task=["wine", "iris"]) == Status.ok).all()
    assert (status.sel(task="diabetes", learner="GaussianNB") == Status.not_run).all()
    assert container["metric"].values.tolist() == ["log_loss", "log_loss", "rmse"]
    assert plan().left_out == (("diabetes", "GaussianNB"),)
    error = container["error"].mean(["repeat", "fold"])
    assert float(error.sel(task="iris", learner="GaussianNB", split="test")) < 0.5
    assert not np.isnan(error.sel(task=["wine", "iris"])).any()


def test_what_the_store_holds_is_what_one_evaluation_is(reference):
    task = load_task(Task("keel:wine", procedure=CrossValidation(5)))
    *_, expected = evaluate(task, find_learner("KNN"), 0, 3, Protocol(bags=3), predictions=True)
    stored = reader.open_evaluations(reference).sel(task="wine", learner="KNN", repeat=0, fold=3)
    for name, values in expected.measures.items():
        np.testing.assert_array_equal(stored[name], values)
    for split, rows in (("valid", task.fold(0, 3).train), ("test", task.fold(0, 3).test)):
        found = reader.read_predictions(reference, "wine", 3, split, ["KNN"])[0]
        np.testing.assert_array_equal(found, expected.predictions[split].values.astype("f4"))
        labels = reader.read_labels(reference, "wine", 3, split)
        np.testing.assert_array_equal(labels, task.labels[rows])
        assert np.mean(found.argmax("class") != labels.values) == stored["error_rate"].sel(
            split=split)


def test_two_workers_a_piece_at_a_time_and_another_order_give_the_same(reference, tmp_path):
    assert study(tmp_path, LEARNERS="DT", FOLDS="4 2 of 5", TASKS="keel:wine").stored == 2
    outcome = study(tmp_path, WORKERS="2", LEARNERS="GaussianNB DT KNN",
                    TASKS="sklearn:diabetes keel:wine sklearn:iris")
    assert (outcome.stored, outcome.found) == (38, 2)
    assert_same(tmp_path, reference)


def test_more_repeats_extend_a_store_and_other_folds_do_not(tmp_path):
    what = {"TASKS": "sklearn:iris", "LEARNERS": "KNN", "FOLDS": "3", "PREDICTIONS": "no"}
    assert study(tmp_path, **what).stored == 3
    before = reader.open_evaluations(tmp_path)["error"].sel(repeat=0)
    outcome = study(tmp_path, **what, REPEATS="3", METRICS="error_rate")
    assert (outcome.found, outcome.stored) == (3, 6)
    container = reader.open_evaluations(tmp_path)
    assert container["metric"].values.tolist() == ["error_rate"]
    np.testing.assert_array_equal(container["log_loss"].sel(repeat=0), before)
    assert len(np.unique(container["log_loss"].sel(split="test"))) == 9
    with pytest.raises(ChangedSettingsError, match=r"'iris'.*another procedure"):
        study(tmp_path, **what | {"FOLDS": "4"})
    with pytest.raises(ChangedSettingsError, match="BAGS was 3 and is now 2"):
        study(tmp_path, **what, BAGS="2")


def test_what_fails_is_recorded_and_the_others_go_on(tmp_path):
    outcome = study(tmp_path, TASKS="sklearn:iris", FOLDS="2", PREDICTIONS="no",
                    LEARNERS="misbehaving.Misbehaving misbehaving.Stuck misbehaving.Segfaults KNN",
                    TIME_LIMIT="3s", SCALING="standard", BAGS="4")
    assert (outcome.stored, dict(outcome.lost)) == (8, {})
    table = reader.read_evaluations(tmp_path).groupby("learner")[["status", "message"]].first()
    assert table["status"].to_dict() == {
        "KNN": "ok", "misbehaving.Misbehaving": "error", "misbehaving.Segfaults": "ok",
        "misbehaving.Stuck": "timeout"}
    assert "I would rather not" in table["message"]["misbehaving.Misbehaving"]
    assert table["message"]["misbehaving.Stuck"] == "stopped after 3 s"


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"TASKS": "keel:wien"}, UnknownNameError, "'wine'"),
    ({"TASKS": ""}, SettingsError, "TASKS or SUITE is needed"),
    ({"TASKS": "", "SUITE": "classic", "FOLDS": "3"}, SettingsError, "bring their own folds"),
    ({"SUITE": "mine"}, SettingsError, "and not both"),
    ({"TASKS": "keel:wine sklearn:wine"}, SettingsError, "are both called 'wine'"),
    ({"TASKS": "wine"}, DatasetError, "keel:NAME"),
    ({"LEARNERS": "KNM"}, UnknownNameError, "'KNN'"),
    ({"LEARNERS": "sklearn.svm.SVC(D=1)"}, LearnerSpecError, "unexpected keyword"),
    ({"LEARNERS": "LDA", "TASKS": "sklearn:diabetes"}, SettingsError, "none of them suits"),
    ({"FOLDS": "0 7 of 5"}, SettingsError, "wine has no fold 7; its folds are 0 to 4"),
    ({"FOLDS": "ten"}, SettingsError, "FOLDS: a whole number is needed"),
    ({"FOLDS": "100"}, TaskError, r"class '3' has 48 row\(s\), fewer than the 100 folds"),
    ({"BAGS": "60"}, TaskError, "fewer than the 60 bags"),
    ({"METRICS": "acu"}, UnknownNameError, "'auc'"),
    ({"METRICS": "regression=auc"}, SettingsError, "METRICS: the metric 'auc' does not measure"),
    ({"SCALING": "none minmax"}, UnknownNameError, "Unknown scaling"),
])
def test_what_is_wrong_is_said_before_any_work(tmp_path, changes, error, message):
    with pytest.raises(error, match=message):
        plan(**changes, OUT=str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_plan_goes_task_by_task_and_fold_by_fold():
    keys = list(plan(REPEATS="2").jobs)
    assert len(keys) == len(set(keys)) == 2 * 40
    assert [(key.repeat, key.fold, key.learner) for key in keys[:4]] == [
        (0, 0, "KNN"), (0, 0, "Decision Tree"), (0, 0, "GaussianNB"), (0, 1, "KNN")]
    assert {key.task for key in keys[:30]} == {"wine"}
