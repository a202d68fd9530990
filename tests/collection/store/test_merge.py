"""Stores that several machines made, merged: what they have alike, and what contradicts."""

import json
import resource
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from test_evaluation_store import ROWS, add, predictions, register, row, writer

from collection.containers.curves import Status
from collection.containers.evaluations import Evaluation
from collection.project import locks
from collection.project.locks import LockedStoreError
from collection.store.connection import NoRoomError, NoStoreError, UnreadableStoreError, seal_anew
from collection.store.evaluation_reader import read_evaluations, read_labels, read_predictions
from collection.store.evaluations import EVALUATIONS, EvaluationWriter, prediction_path
from collection.store.merge import MergeConflictError, merge
from commands import main


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
        seal_anew(db, EVALUATIONS)
    merge([first, second], tmp_path / "merged")
    with closing(sqlite3.connect(tmp_path / "merged" / EVALUATIONS.file)) as db:
        of = dict(db.execute("SELECT DISTINCT l.name, r.provenance FROM evaluations e "
                             "JOIN learners l ON l.id = e.learner JOIN runs r ON r.id = e.run"))
        runs = [json.loads(text) for (text,) in db.execute("SELECT provenance FROM runs")]
    assert [run["merged"] for run in runs if "merged" in run] == [["a", "b"]]  # no paths
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


def test_one_name_for_two_sets_of_hyperparameters_is_a_conflict(tmp_path):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    for folder, neighbours in ((first, 5), (second, 7)):
        with writer(folder) as made:
            made.add_learner("Mine", "KNeighborsClassifier", {"n_neighbors": neighbours, "p": 2})
    with pytest.raises(MergeConflictError, match=r"the learner Mine has n_neighbors = 5 in .*a and "
                                                 r"7 in .*b$"):
        merge([first, second], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_hyperparameters_drawn_on_another_processor_are_the_same(tmp_path):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    for folder, rate in ((first, 0.010718994517973285), (second, 0.010718994517973287)):
        with writer(folder) as made:
            made.add_learner("Mine", "LightGBM", {"learning_rate": rate})
    merge([first, second], tmp_path / "merged")
    assert (tmp_path / "merged").exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_flipped_byte_in_predictions_is_named_and_nothing_is_merged(tmp_path, there):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    path = prediction_path(second, "two", 0, 0, "test")
    content = bytearray(path.read_bytes())
    content[3] ^= 0x40
    path.write_bytes(content)
    target = tmp_path / "merged"
    if there:
        merge([first], target)
    with pytest.raises(UnreadableStoreError, match=r"0-0-test\.dat are damaged: block 0"):
        read_predictions(second, "two", 0, "test")
    with pytest.raises(UnreadableStoreError, match=r"0-0-test\.dat are damaged"):
        merge([first, second] if not there else [second], target)
    assert target.exists() is there
    if there:
        assert set(read_evaluations(target)["learner"]) == {"KNN"}


def test_a_store_of_before_checksums_is_read_and_merged(tmp_path):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    for folder in (first, second):
        with closing(sqlite3.connect(folder / EVALUATIONS.file)) as db, db:
            db.execute("ALTER TABLE predictions DROP COLUMN checksum")
            db.execute("DROP TABLE seals")
    assert np.isfinite(read_predictions(first, "two", 0, "test")).all()
    assert merge([second], first).added == 2
    assert read_predictions(first, "two", 0, "test").sizes["learner"] == 2
    with closing(sqlite3.connect(first / EVALUATIONS.file)) as db:
        known = db.execute("SELECT count(*), count(checksum) FROM predictions").fetchone()
    assert known == (8, 4)


@pytest.mark.parametrize(("which", "said"), [
    ("", "its checksums were taken out"),
    ("WHERE sealed = 'runs'", "its checksums were taken out"),
    ("WHERE sealed = 'sqlite_master'", "its checksums were taken out"),
    ("WHERE sealed = 'evaluations'", "checksum of row 1 of its table evaluations was taken out"),
    ("WHERE sealed = 'evaluations' AND row = '2'", "checksum of row 2 of its table evaluations"),
    ("WHERE sealed = 'labels'", "of its table labels was taken out"),
])
def test_a_store_without_the_checksums_it_had_is_not_merged(tmp_path, which, said):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    with closing(sqlite3.connect(second / EVALUATIONS.file)) as db, db:
        db.execute(f"DELETE FROM seals {which}")
    with pytest.raises(UnreadableStoreError, match=said):
        merge([first, second], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_nothing_is_added_to_another_programs_database(tmp_path):
    first, target = store(tmp_path / "a", ["KNN"]), tmp_path / "merged"
    target.mkdir()
    (target / "predictions").mkdir()
    (target / "predictions" / "own.txt").write_text("mine")
    for tables in ("CREATE TABLE photos (name TEXT)", "CREATE TABLE settings (name, value, more)"):
        with closing(sqlite3.connect(target / EVALUATIONS.file)) as db, db:
            db.execute(tables)
        before = (target / EVALUATIONS.file).read_bytes()
        with pytest.raises(UnreadableStoreError, match="another program's database"):
            merge([first], target)
        assert (target / EVALUATIONS.file).read_bytes() == before
    assert (target / "predictions" / "own.txt").read_text() == "mine"


def test_what_fails_takes_away_only_what_it_made(tmp_path, monkeypatch):
    first, target = store(tmp_path / "a", ["KNN"]), tmp_path / "merged"
    (target / "predictions").mkdir(parents=True)
    (target / "predictions" / "own.txt").write_text("mine")
    (target / f"{EVALUATIONS.file}.bak").write_text("mine")

    def fail(*_):
        raise ZeroDivisionError
    monkeypatch.setattr(EvaluationWriter, "take", fail)
    with pytest.raises(ZeroDivisionError):
        merge([first], target)
    assert sorted(p.name for p in target.rglob("*")) == [
        f"{EVALUATIONS.file}.bak", "own.txt", "predictions"]


def test_a_full_disk_is_one_message_with_the_path_and_nothing_is_left(tmp_path, monkeypatch):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    begin = EvaluationWriter._begin

    def nearly_full(self):
        begin(self)
        pages = self._db.execute("PRAGMA page_count").fetchone()[0]
        self._db.execute(f"PRAGMA max_page_count = {pages}")

    monkeypatch.setattr(EvaluationWriter, "_begin", nearly_full)
    many = [f"learner {number}" for number in range(40)]
    with (pytest.raises(NoRoomError, match=r"b/evaluations\.sqlite cannot be written: .*full"),
          writer(second) as made):
            for name in many:
                made.add_learner(name, "family", {"text": "x" * 500})
    monkeypatch.setattr(EvaluationWriter, "_begin", begin)
    with writer(second) as made:
        for name in many:
            made.add_learner(name, "family", {"text": "x" * 500})
    monkeypatch.setattr(EvaluationWriter, "_begin", nearly_full)
    with pytest.raises(NoRoomError, match=r"merged/evaluations\.sqlite cannot be written: .*full"):
        merge([first, second], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("most", range(0, 160_000, 8_000))
def test_a_disk_that_is_full_while_a_store_is_begun_leaves_none(tmp_path, most):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        with writer(tmp_path):
            pass
        begun = True
    except NoRoomError:
        begun = False
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert begun or most < 150_000
    if begun:
        assert read_evaluations(tmp_path).empty
    else:
        with pytest.raises(NoStoreError):
            read_evaluations(tmp_path)
    with writer(tmp_path) as made:
        register(made, ["two"])
    assert read_evaluations(tmp_path).empty


def test_two_merges_at_once_do_not_get_into_each_others_way(tmp_path, monkeypatch):
    first, second = store(tmp_path / "a", ["KNN"]), store(tmp_path / "b", ["LDA"])
    target, begin = tmp_path / "merged", EvaluationWriter.__enter__

    def after_another(self):
        monkeypatch.setattr(EvaluationWriter, "__enter__", begin)
        assert merge([first], target).added == 2
        return begin(self)

    monkeypatch.setattr(EvaluationWriter, "__enter__", after_another)
    merged = merge([first, second], target)
    assert (merged.added, merged.same) == (2, 2)
    assert set(read_evaluations(target)["learner"]) == {"KNN", "LDA"}


def test_a_merge_that_another_run_keeps_out_takes_nothing_away_of_it(tmp_path, monkeypatch):
    first, target = store(tmp_path / "a", ["KNN"]), tmp_path / "merged"
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with writer(target) as made:
        register(made, ["two"])
        (target / EVALUATIONS.file).rename(target / "aside")  # as before the other has made it
        with pytest.raises(LockedStoreError, match="Another run is writing"):
            merge([first], target)
        (target / "aside").rename(target / EVALUATIONS.file)
        add(made, "two", "KNN", Evaluation(Status.ok, predictions=predictions("two", 1)))
    assert read_evaluations(target)["learner"].tolist() == ["KNN"]


def test_a_merge_that_was_killed_at_its_start_is_made_anew(tmp_path, capsys):
    first, target = store(tmp_path / "a", ["KNN"]), tmp_path / "m"
    target.mkdir()
    (target / EVALUATIONS.file).touch()
    with pytest.raises(NoStoreError, match=r"was stopped\. Run it again, or remove the file"):
        read_evaluations(target)
    assert main(["merge", f"FROM={first}", f"OUT={target}"]) == 0
    assert read_evaluations(target)["learner"].tolist() == ["KNN", "KNN"]


@pytest.mark.parametrize(("column", "value"), [("rows", -1), ("classes", -1), ("dtype", "|O")])
def test_an_array_that_cannot_be_is_damage(tmp_path, column, value):
    first = store(tmp_path / "a", ["KNN"])
    with closing(sqlite3.connect(first / EVALUATIONS.file)) as db, db:
        db.execute("DROP TABLE seals")
        db.execute(f"UPDATE arrays SET {column} = ?", (value,))
    for target in (first, tmp_path / "m"):
        with pytest.raises(UnreadableStoreError, match="damaged: predictions of"):
            merge([store(tmp_path / "b", ["KNN"]) if target == first else first], target)
            read_predictions(first, "two", 0, "test")
