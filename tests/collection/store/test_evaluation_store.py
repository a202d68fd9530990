"""The store of evaluations: what goes in comes out, predictions are mapped, and damage is told."""

import json
import sqlite3
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_curves import any_flipped_bit_is_named_or_changes_nothing

from collection.containers.curves import SPLITS, Status
from collection.containers.evaluations import MEASURES, Evaluation, Predictions
from collection.containers.metrics import TASK_METRICS
from collection.project.naming import UnknownNameError
from collection.store import evaluation_reader as reader
from collection.store import evaluations as layout
from collection.store.base import ChangedSettingsError
from collection.store.connection import NoStoreError, UnreadableStoreError
from collection.store.evaluation_reader import NoPredictionsError, read_labels, read_predictions
from collection.store.evaluations import EVALUATIONS, EvaluationKey, EvaluationWriter

ROWS = {"valid": np.array([4, 0, 3]), "test": np.array([2, 1])}
CLASSES = {"two": ["no", "yes"], "three": ["a", "b", "c"], "number": []}
PROBLEMS = {"two": "binary", "three": "multiclass", "number": "regression"}
METRIC = {"two": "auc", "three": "log_loss", "number": "rmse"}


def row(name, **changes):
    return {"name": name, "spec": f"csv:{name}", "target": "y", "procedure": "{}",
            "problem": PROBLEMS[name], "metric": METRIC[name],
            "class_names": json.dumps(CLASSES[name]), "openml_id": None, "source": f"csv:{name}",
            "licence": "CC0", "rows": 5, "features": 2, "categorical": 0,
            "classes": len(CLASSES[name]), "missing_values": 0,
            "fingerprint": f"of {name}"} | changes


def writer(folder, **given):
    return EvaluationWriter(folder, {"BAGS": 8} | given, {"host": "here"})


def register(store, names=("two", "three", "number")):
    for name in names:
        store.add_task(row(name))
        classes = len(CLASSES[name])
        labels = np.array([0, 1, 0, 1, 1]) if classes else np.arange(5) / 7
        store.add_labels(name, labels)
        store.add_rows(name, 0, 0, ROWS, classes if classes > 2 else 0)


def add(store, task, learner, evaluation, fold=0):
    store.add_learner(learner, "family", {"C": 1})
    store.add(EvaluationKey(task, learner, 0, fold), SimpleNamespace(
        evaluation=evaluation, seconds=1.5, worker="here:1"))


def predictions(task, seed):
    rng, n = np.random.default_rng(seed), len(CLASSES[task])
    made = {split: rng.random((len(rows), n) if n else len(rows)) for split, rows in ROWS.items()}
    return {split: Predictions("probability" if n else "value", values)
            for split, values in made.items()}


numbers = st.floats(-5, 5) | st.just(np.nan)
evaluations = st.builds(
    Evaluation, status=st.sampled_from([s for s in Status if s != Status.not_run]),
    message=st.sampled_from(["", "ValueError: né", "stopped after 5 s"]),
    measures=st.dictionaries(st.sampled_from(MEASURES), st.tuples(numbers, numbers, numbers)),
    train_time=numbers, predict_time=st.tuples(numbers, numbers, numbers),
    chosen=st.sampled_from([(), ({"C": 1},), ({"a": [1, 2]}, {"a": None})]))


@settings(max_examples=12, deadline=None)
@given(st.dictionaries(st.tuples(st.sampled_from(list(CLASSES)), st.sampled_from(
    ["LDA", "KNN", "own.X(C=1)"]), st.integers(0, 3)), evaluations, min_size=1, max_size=9))
def test_every_evaluation_comes_back_where_its_names_say(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("store")
    with writer(folder) as store:
        register(store)
        for (task, learner, fold), evaluation in made.items():
            add(store, task, learner, evaluation, fold)
    container = reader.open_evaluations(folder)
    assert container["error_rate"].dims == ("task", "learner", "repeat", "fold", "split")
    assert container["split"].values.tolist() == list(SPLITS)
    assert int((container["status"] != Status.not_run).sum()) == len(made)
    for (task, learner, fold), evaluation in made.items():
        found = container.sel(task=task, learner=learner, repeat=0, fold=fold)
        assert int(found["status"]) == evaluation.status
        assert str(container["message_text"][int(found["message"])].values) == evaluation.message
        for name in MEASURES:
            np.testing.assert_array_equal(found[name], evaluation.measures.get(name, [np.nan] * 3))
        np.testing.assert_array_equal(found["train_time"], evaluation.train_time)
        np.testing.assert_array_equal(found["predict_time"], evaluation.predict_time)
        metric = TASK_METRICS[METRIC[task]]
        np.testing.assert_array_equal(found["error"], metric.error(found[metric.name]))
    assert reader.read_evaluations(folder)["chosen"].isin(
        ["", '[{"C": 1}]', '[{"a": [1, 2]}, {"a": null}]']).all()


@pytest.mark.parametrize("task", CLASSES)
def test_predictions_come_back_to_single_precision(tmp_path, task):
    made = {name: predictions(task, seed) for seed, name in enumerate(["KNN", "LDA", "own.X()"])}
    with writer(tmp_path) as store:
        register(store)
        for name, said in made.items():
            add(store, task, name, Evaluation(Status.ok, predictions=said))
        add(store, task, "failed", Evaluation(Status.error, "no"))
    for split, rows in ROWS.items():
        found = read_predictions(tmp_path, task, 0, split)
        assert found.dims == (("learner", "row", "class") if task == "three" else
                              ("learner", "row"))
        assert found["learner"].values.tolist() == list(made)
        assert found["row"].values.tolist() == rows.tolist()
        for name, said in made.items():
            np.testing.assert_allclose(found.sel(learner=name), said[split].stored, rtol=1e-7)
        some = read_predictions(tmp_path, task, 0, split, ["own.X()", "KNN"])
        assert some.equals(found.sel(learner=["own.X()", "KNN"]))
        one = read_predictions(tmp_path, task, 0, split, ["LDA"])
        assert isinstance(one.data, np.memmap) and one.equals(found.sel(learner=["LDA"]))
        labels = read_labels(tmp_path, task, 0, split)
        assert labels["row"].equals(found["row"]) and labels.attrs["classes"] == CLASSES[task]
        true = np.array([0, 1, 0, 1, 1]) if CLASSES[task] else np.arange(5) / 7
        np.testing.assert_array_equal(labels, true[rows])
    assert found.attrs == ({"class": "yes"} if task == "two" else {})
    assert found["kind"].values.tolist() == ["value" if task == "number" else "probability"] * 3


@pytest.fixture
def stored(tmp_path):
    with writer(tmp_path) as store:
        register(store)
        for name in ("KNN", "LDA"):
            add(store, "two", name, Evaluation(Status.ok, predictions=predictions("two", 1)))
        add(store, "two", "failed", Evaluation(Status.error, "no"))
    return tmp_path


@pytest.mark.parametrize(("arguments", "error", "message"), [
    (("tow", 0, "test"), UnknownNameError, "'two'"),
    (("two", 0, "train"), UnknownNameError, "Unknown split"),
    (("two", 0, "test", ["LDB"]), UnknownNameError, "'LDA'"),
    (("two", 7, "test"), NoPredictionsError, "fold 7. They are stored where make evaluate ran wi"),
    (("two", 0, "test", ["KNN", "failed"]), NoPredictionsError, "no test predictions of failed on"),
])
def test_predictions_that_are_not_there(stored, arguments, error, message):
    with pytest.raises(error, match=message):
        read_predictions(stored, *arguments)


def test_a_file_of_predictions_that_was_cut_short_or_lost_is_named(stored):
    path = layout.prediction_path(stored, "two", 0, 0, "test")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UnreadableStoreError, match=r"0-0-test\.dat has 15 of at least 16 bytes"):
        read_predictions(stored, "two", 0, "test")
    assert read_predictions(stored, "two", 0, "test", ["KNN"]).shape == (1, 2)
    path.unlink()
    with pytest.raises(UnreadableStoreError, match="is absent"):
        read_predictions(stored, "two", 0, "test")
    assert read_predictions(stored, "two", 0, "valid").shape == (2, 3)


def said_of(folder):
    """Return all that readers say of the evaluations of "two", comparable."""
    container = reader.open_evaluations(folder)
    parts = [(read_predictions(folder, "two", 0, split), read_labels(folder, "two", 0, split))
             for split in ROWS]
    return repr([container.to_dict(), [part.to_dict() for pair in parts for part in pair]])


@pytest.mark.parametrize(("after", "at", "mask"), [
    (layout.pack_array(np.array([0, 1, 0, 1, 1]))[-40:], -16, 8),  # a label
    (layout.pack_array(ROWS["test"].astype(np.int32))[-20:], -4, 1),  # a row predicted
    (b'auc["no"', 0, 0x80), (b'auc["no"', 1, 1), (b'"C": 1}', 5, 8),  # a metric, a hyperparameter
    (b"error_rate_test REAL", 2, 4)])  # the name of a column
def test_a_flipped_bit_of_what_is_known_is_named(stored, after, at, mask):
    content = bytearray((stored / EVALUATIONS.file).read_bytes())
    content[content.index(after) + (at if at >= 0 else len(after) + at)] ^= mask
    (stored / EVALUATIONS.file).write_bytes(content)
    with pytest.raises(UnreadableStoreError, match=r"evaluations\.sqlite is damaged"):
        said_of(stored)
    with pytest.raises(UnreadableStoreError, match=r"evaluations\.sqlite is damaged"):
        writer(stored).__enter__()


def test_any_flipped_bit_is_named_or_changes_nothing(stored):
    any_flipped_bit_is_named_or_changes_nothing(stored / EVALUATIONS.file, lambda: said_of(stored))


def test_what_a_killed_run_wrote_after_the_last_transaction_is_overwritten(stored):
    path = layout.prediction_path(stored, "two", 0, 0, "test")
    path.write_bytes(path.read_bytes() + b"half of a bl")
    said = predictions("two", 9)
    with writer(stored) as store:
        register(store, ["two"])
        add(store, "two", "QDA", Evaluation(Status.ok, predictions=said))
    found = read_predictions(stored, "two", 0, "test", ["QDA"])
    np.testing.assert_allclose(found[0], said["test"].stored, rtol=1e-7)


def test_other_tasks_under_a_stored_name_and_other_settings_are_refused(stored):
    with writer(stored) as store:
        store.add_task(row("two", licence="CC BY", metric="f1"))
        with pytest.raises(ChangedSettingsError, match=r"'two' .*another fingerprint: .*is now 0"):
            store.add_task(row("two", fingerprint="0"))
        with pytest.raises(ChangedSettingsError, match="another target and procedure"):
            store.add_task(row("two", target="z", procedure="5-fold"))
    assert reader.open_evaluations(stored)["metric"].values.tolist() == ["f1"]
    with pytest.raises(ChangedSettingsError, match="BAGS was 8 and is now 0"):
        writer(stored, BAGS=0).__enter__()


def test_an_evaluation_is_never_stored_twice(stored):
    with writer(stored) as store, pytest.raises(sqlite3.IntegrityError):
        add(store, "two", "KNN", Evaluation(Status.error, "again"))
    assert reader.read_evaluations(stored)["status"].tolist() == ["ok", "ok", "error"]


def test_where_there_is_no_store_the_message_says_how_to_get_one(tmp_path):
    with pytest.raises(NoStoreError, match="make evaluate TASKS="):
        reader.open_evaluations(tmp_path)
    with writer(tmp_path):
        pass
    with pytest.raises(NoStoreError, match="no evaluation yet"):
        reader.open_evaluations(tmp_path)
    (tmp_path / EVALUATIONS.file).write_text("nothing of the kind" * 99)
    with pytest.raises(UnreadableStoreError, match="no store of evaluations"):
        reader.open_evaluations(tmp_path)


def test_a_name_leads_out_of_no_folder(tmp_path):
    for name in ("../../etc", "..", "/etc", "a/../../b"):
        path = layout.prediction_path(tmp_path, name, 0, 0, "test")
        assert path.resolve().parent.parent == (tmp_path / "predictions").resolve()
