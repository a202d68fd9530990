"""Write evaluations to a store, with their predictions: one transaction each, nothing twice."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

import numpy as np

from collection.containers.evaluations import COLUMNS, METRICS, NONE, Evaluation, metric_columns
from collection.store.base import Writer, now
from collection.store.evaluation_reader import StoredEvaluation
from collection.store.evaluation_schema import (
    EVALUATIONS,
    PRECISIONS,
    RESULT,
    EvaluationKey,
    PredictionFile,
    pack_array,
    prediction_path,
)


class EvaluationWriter(Writer):
    """The one writer of the evaluations in a folder; see `collection.store.base.Writer`."""

    form = EVALUATIONS
    add_task = Writer.add_subject

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

    def _add(self, key: EvaluationKey, result: Any) -> None:
        """Store an evaluation (`collection.running.evaluate.Result`), within a transaction."""
        evaluation = self._insert(key, values_of(result.evaluation), result.seconds,
                                  result.worker, now(), self._run)
        for split, said in (result.evaluation.predictions or {}).items():
            self.write_predictions(key, evaluation, split, said.kind, said.stored)

    def take_subject(self, db: sqlite3.Connection, row: Mapping[str, object]) -> None:
        """Register a task as another file has it, within a transaction.

        With the learners, the task's labels, and which rows predictions are of.
        """
        self.add_subject(row)
        task = self._id("tasks", str(row["name"]))
        for name, family, hyperparameters in db.execute(
                "SELECT name, family, hyperparameters FROM learners ORDER BY id"):
            self.add_learner(name, family, json.loads(hyperparameters))
        own = "FROM {} a JOIN tasks t ON t.id = a.task WHERE t.name = ?"
        for (archive,) in db.execute(f"SELECT archive {own.format('labels')}", (row["name"],)):
            self._db.execute("INSERT OR IGNORE INTO labels VALUES (?, ?)", (task, archive))
        self._db.executemany(
            "INSERT OR IGNORE INTO arrays (task, repeat, fold, split, dtype, rows, classes, "
            f"row_numbers, count) VALUES ({task}, ?, ?, ?, ?, ?, ?, ?, 0)", db.execute(
                "SELECT repeat, fold, split, dtype, a.rows, a.classes, row_numbers "
                f"{own.format('arrays')} ORDER BY a.id", (row["name"],)))

    def take(self, stored: StoredEvaluation, run: int, db: sqlite3.Connection) -> None:
        """Take an evaluation over from another file, within a transaction."""
        row = self._insert(stored.key, stored.values, stored.seconds, stored.worker,
                           stored.finished, run)
        for split, (kind, block) in stored.predictions.items():
            self.write_predictions(stored.key, row, split, kind, block)

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
