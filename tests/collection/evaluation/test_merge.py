"""Stores that several machines made, merged: what they have alike, and what contradicts."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from test_evaluation_store import ROWS, add, predictions, register, row, writer

from collection.container import Status
from collection.evaluation.evaluation import Evaluation
from collection.store.connection import NoStoreError
from collection.store.evaluation_reader import read_evaluations, read_labels, read_predictions
from collection.store.evaluation_schema import EVALUATIONS
from collection.store.merge import MergeConflictError, merge


def store(folder, learners, seed=0, **settings):
    """Make a store of some learners on two tasks, as another machine would."""
    with writer(folder, **settings) as made:
        register(made, ["three", "two"] if len(learners) % 2 else ["two", "three"])
        for number, learner in enumerate(learners):
            for task in ("two", "three"):
                said = predictions(task, seed + sum(map(ord, learner)))
                add(made, task, learner, Evaluation(
                    Status.ok, f"message {learner}", {"auc": (0.5, 0.5, sum(map(ord, learner)))},
                    train_time=number, predictions=said))
    return folder


def everything(folder):
    table = read_evaluations(folder).drop(columns=["train_time", "finished"])
    said = {(task, split): read_predictions(folder, task, 0, split).sortby("learner")
            for task in ("two", "three") for split in ROWS}
    return table, said


def test_parts_make_the_whole(tmp_path):
    whole = store(tmp_path / "whole", ["KNN", "LDA", "QDA", "DT"])
    first = store(tmp_path / "a", ["QDA", "KNN"])
    second = store(tmp_path / "b", ["LDA", "DT", "QDA"])
    merged = merge([first, second], tmp_path / "merged")
    assert (merged.added, merged.same) == (8, 2)
    (table, said), (expected, expected_said) = everything(tmp_path / "merged"), everything(whole)
    pd.testing.assert_frame_equal(table, expected)
    assert all(said[key].equals(expected_said[key]) for key in expected_said)
    assert read_labels(tmp_path / "merged", "two", 0, "test").equals(
        read_labels(whole, "two", 0, "test"))
    again = merge([second], tmp_path / "merged")
    assert (again.added, again.same) == (0, 6)
    pd.testing.assert_frame_equal(everything(tmp_path / "merged")[0], expected)


def test_every_part_keeps_its_provenance(tmp_path):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    with closing(sqlite3.connect(second / EVALUATIONS.file)) as db, db:
        db.execute("UPDATE runs SET provenance = ?", (json.dumps({"host": "there"}),))
    merge([first, second], tmp_path / "merged")
    with closing(sqlite3.connect(tmp_path / "merged" / EVALUATIONS.file)) as db:
        of = dict(db.execute("SELECT DISTINCT l.name, r.provenance FROM evaluations e "
                             "JOIN learners l ON l.id = e.learner JOIN runs r ON r.id = e.run"))
    assert {name: json.loads(text)["host"] for name, text in of.items()} == {
        "KNN": "here", "LDA": "there"}


def test_every_conflict_is_named_and_nothing_is_merged(tmp_path):
    first = store(tmp_path / "a", ["KNN", "LDA"])
    second = store(tmp_path / "b", ["KNN"], seed=7, BAGS=4)
    with writer(second, BAGS=4) as made:
        made.add_task(row("number", fingerprint="other"))
        add(made, "two", "LDA", Evaluation(Status.timeout, "stopped"))
    with pytest.raises(MergeConflictError) as caught:
        merge([first, second], tmp_path / "merged")
    message = str(caught.value)
    assert message.startswith("4 conflict(s); nothing was merged:\nBAGS is 8 in ")
    for told in ("two, KNN, repeat 0, fold 0: predictions differ(s) between",
                 "three, KNN, repeat 0, fold 0: predictions differ(s)",
                 "two, LDA, repeat 0, fold 0: status, message, auc_train, auc_valid, auc_test"):
        assert told in message
    assert not (tmp_path / "merged").exists()


def test_a_task_that_stands_for_two_is_a_conflict(tmp_path):
    first, second = store(tmp_path / "a", ["KNN"]), tmp_path / "b"
    with writer(second) as made:
        made.add_task(row("two", fingerprint="other", procedure="5-fold"))
        add(made, "two", "LDA", Evaluation(Status.ok))
    with pytest.raises(MergeConflictError, match="task two has another procedure and fingerprint"):
        merge([second], first)
    assert set(read_evaluations(first)["learner"]) == {"KNN"}


def test_a_folder_without_a_store_is_named(tmp_path):
    first = store(tmp_path / "a", ["KNN"])
    with pytest.raises(ValueError, match="cannot be merged into itself"):
        merge([first], tmp_path / "b" / ".." / "a")
    with pytest.raises(NoStoreError, match="nowhere"):
        merge([first, tmp_path / "nowhere"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()
    assert np.isfinite(read_predictions(first, "two", 0, "test")).all()
