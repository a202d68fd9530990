"""Write evaluations to a store, with their predictions: one transaction each, nothing twice."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from collection.containers.evaluations import COLUMNS, METRICS, NONE, Evaluation, metric_columns
from collection.store.base import ChangedSettingsError, Writer, now
from collection.store.connection import connect_to_read, damage_named, is_begun
from collection.store.evaluation_schema import (
    EVALUATIONS,
    PRECISIONS,
    RESULT,
    TASK_COLUMNS,
    PredictionFile,
    pack_array,
    prediction_path,
)

# What may not change under a task's name; the rest is what is known of it, and may be put right.
FIXED = ("target", "procedure", "problem", "fingerprint")


@dataclass(frozen=True)
class EvaluationKey:
    """What a stored evaluation is of: names of task and learner, repeat and fold."""

    task: str
    learner: str
    repeat: int
    fold: int

    @property
    def pair(self) -> tuple[str, str]:
        """What evaluations that cost about the same have in common."""
        return self.task, self.learner


class EvaluationWriter(Writer):
    """The one writer of the evaluations in a folder; see `collection.store.base.Writer`."""

    form = EVALUATIONS

    def add_task(self, row: Mapping[str, object]) -> None:
        """Register a task, given `collection.store.evaluation_schema.TASK_COLUMNS`.

        Raises
        ------
        ChangedSettingsError
            Where the store holds evaluations of another task under this name.
        """
        if not _check_same(self.folder, self._db, row):
            marks = ", ".join(f":{name}" for name in TASK_COLUMNS)
            self._db.execute(f"INSERT INTO tasks ({', '.join(TASK_COLUMNS)}) VALUES ({marks})",
                             dict(row))
            return
        self._db.execute("UPDATE tasks SET metric = :metric, openml_id = :openml_id, "
                         "licence = :licence WHERE name = :name", dict(row))

    def add_learner(self, name: str, family: str, hyperparameters: Mapping[str, object]) -> None:
        """Register a learner, its family and its hyperparameters."""
        self._db.execute("INSERT OR IGNORE INTO learners (name, family, hyperparameters) "
                         "VALUES (?, ?, ?)", (name, family, json.dumps(hyperparameters)))

    def add_labels(self, task: str, labels: np.ndarray) -> None:
        """Store what is true of a task's rows: class codes, or numbers to predict."""
        self._db.execute("INSERT OR IGNORE INTO labels VALUES (?, ?)",
                         (self._id("tasks", task), pack_array(labels)))

    def add_rows(self, task: str, repeat: int, fold: int, rows: Mapping[str, np.ndarray],
                 classes: int, precision: str = "single") -> None:
        """Say which rows the predictions of a fold will be of, by split, and how exactly.

        `classes` is the numbers that a row has: 0 for one, as for two classes or regression.
        """
        of_task = self._id("tasks", task)
        self._db.executemany(
            "INSERT OR IGNORE INTO arrays (task, repeat, fold, split, dtype, rows, classes, count, "
            "row_numbers) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
            [(of_task, repeat, fold, split, PRECISIONS[precision], len(numbers), classes,
              pack_array(numbers.astype(np.int32))) for split, numbers in rows.items()])

    def finished(self) -> set[EvaluationKey]:
        """Return the evaluations that are in the store."""
        return {EvaluationKey(*row) for row in self._db.execute(
            "SELECT t.name, l.name, repeat, fold FROM evaluations e "
            "JOIN tasks t ON t.id = e.task JOIN learners l ON l.id = e.learner")}

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """Return the mean seconds that stored evaluations took, by names of task and learner."""
        return {(task, learner): seconds for task, learner, seconds in self._db.execute(
            "SELECT t.name, l.name, avg(seconds) FROM evaluations e "
            "JOIN tasks t ON t.id = e.task JOIN learners l ON l.id = e.learner "
            "GROUP BY e.task, e.learner")}

    def add(self, key: EvaluationKey, result) -> None:
        """Store an evaluation as the engine brings it (`running.evaluation_job.Result`)."""
        with self.transaction():
            evaluation = self._insert(key, values_of(result.evaluation), result.seconds,
                                      result.worker, now(), self._run)
            for split, said in (result.evaluation.predictions or {}).items():
                self.write_predictions(key, evaluation, split, said.kind, said.stored)
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _insert(self, key: EvaluationKey, values: Mapping[str, object], seconds: float,
                worker: str, finished: str, run: int) -> int:
        """Insert an evaluation, whose message is text, and return its row."""
        values = {**values, "message": self._id("messages", values["message"]),
                  "task": self._id("tasks", key.task), "learner": self._id("learners", key.learner),
                  "repeat": key.repeat, "fold": key.fold, "run": run, "seconds": seconds,
                  "worker": worker, "finished": finished}
        marks = ", ".join(f":{name}" for name in values)
        return self._db.execute(f"INSERT INTO evaluations ({', '.join(values)}) VALUES ({marks})",
                                values).lastrowid

    def write_predictions(self, key: EvaluationKey, evaluation: int, split: str, kind: str,
                          values: np.ndarray) -> None:
        """Append an evaluation's predictions to their file, and enter them in the index."""
        array, dtype, rows, classes, count = self._db.execute(
            "SELECT a.id, dtype, a.rows, a.classes, count FROM arrays a WHERE task = ? AND "
            "repeat = ? AND fold = ? AND split = ?",
            (self._id("tasks", key.task), key.repeat, key.fold, split)).fetchone()
        path = prediction_path(self.folder, key.task, key.repeat, key.fold, split)
        checksum = PredictionFile(path, dtype, rows, classes).write(count, values)
        self._db.execute("INSERT INTO predictions (array, position, evaluation, kind, checksum) "
                         "VALUES (?, ?, ?, ?, ?)", (array, count, evaluation, kind, checksum))
        self._db.execute("UPDATE arrays SET count = count + 1 WHERE id = ?", (array,))


def check_same_tasks(folder: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Raise `ChangedSettingsError` if `folder` holds evaluations of other tasks under these names.

    Writes nothing; a folder without a store suits any tasks.
    """
    file = folder / EVALUATIONS.file
    if not is_begun(folder, EVALUATIONS):
        return
    with damage_named(file, EVALUATIONS.things), ExitStack() as opened:
        db = connect_to_read(file, opened)
        for row in rows:
            _check_same(folder, db, row)


def _check_same(folder: Path, db: sqlite3.Connection, row: Mapping[str, object]) -> bool:
    """Tell whether the store has the task; raise where it has another one by that name."""
    stored = db.execute(f"SELECT {', '.join(TASK_COLUMNS)} FROM tasks WHERE name = ?",
                        (row["name"],)).fetchone()
    if stored is None:
        return False
    stored = dict(zip(TASK_COLUMNS, stored, strict=True))
    if changed := [name for name in FIXED if stored[name] != row[name]]:
        raise ChangedSettingsError(
            f"{folder} already holds evaluations of a task called {row['name']!r} "
            f"({stored['spec']}), with another {' and '.join(changed)}: "
            + "; ".join(f"{name} was {stored[name]} and is now {row[name]}" for name in changed)
            + ". Set it back, name it otherwise, or evaluate into another OUT.")
    return True


def values_of(evaluation: Evaluation) -> dict[str, object]:
    """Return an evaluation's columns `RESULT`, the message as text; NaN becomes NULL."""
    numbers = {"train_time": (evaluation.train_time,), "predict_time": evaluation.predict_time}
    values = []
    for name in METRICS:
        found = numbers.get(name, evaluation.measures.get(name, NONE))
        values += list(found)[:len(metric_columns(name))]
    # Adding 0: SQLite does not keep the sign of a zero.
    values = [None if v is None or v != v else float(v) + 0. for v in values]
    of_columns = dict(zip(COLUMNS, values, strict=True))
    found = {"status": int(evaluation.status), "message": evaluation.message or "", **of_columns,
             "chosen": json.dumps(list(evaluation.chosen)) if evaluation.chosen else ""}
    return {name: found[name] for name in RESULT}
