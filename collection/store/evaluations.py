"""The store of evaluations: its tables, what is written to them, an evaluation as it lies there.

========== =====================================================================================
table      a row is
========== =====================================================================================
settings   one setting that every evaluation in the store was made under (name, value as JSON)
runs       one run: when, where, versions (JSON); of a merged store, the runs of every part
tasks      a task: name (its label), dataset, target, procedure (JSON), metric, fingerprint, facts
learners   a learner or config: name, family, hyperparameters (JSON)
messages   a distinct message; number 0 is the empty one
evaluations an evaluation: what it is of, status, message, metrics or NULL, what tuning chose (JSON)
labels     what is true of a task's rows, an ``.npy`` archive
arrays     a file of predictions: of which task, fold and split, of which rows (``.npy`` archive)
predictions where in such a file an evaluation's predictions lie, their kind and their CRC-32
seals      the CRC-32 of a row of any of these tables, by the row's key
========== =====================================================================================

An evaluation and its predictions are one transaction. The predictions themselves lie beside the
database in ``predictions/``; see `PredictionFile`.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zlib import crc32

import numpy as np

from collection.containers.evaluations import COLUMNS, METRICS, NONE, Evaluation
from collection.store import connection
from collection.store.base import Writer, now, to_null

TASK_COLUMNS = {
    "name": "TEXT UNIQUE NOT NULL", "spec": "TEXT NOT NULL", "target": "TEXT NOT NULL",
    "procedure": "TEXT NOT NULL", "problem": "TEXT NOT NULL", "metric": "TEXT NOT NULL",
    "class_names": "TEXT NOT NULL", "openml_id": "INTEGER", "source": "TEXT", "licence": "TEXT",
    "rows": "INTEGER", "features": "INTEGER", "categorical": "INTEGER", "classes": "INTEGER",
    "missing_values": "INTEGER", "fingerprint": "TEXT NOT NULL",
}
RESULT = ("status", "message", *COLUMNS, "chosen")

TABLES = f"""{connection.SHARED_TABLES}
CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY,
    {", ".join(f"{name} {kind}" for name, kind in TASK_COLUMNS.items())});
CREATE TABLE IF NOT EXISTS learners (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,
    family TEXT NOT NULL DEFAULT '', hyperparameters TEXT NOT NULL DEFAULT '{{}}');
CREATE TABLE IF NOT EXISTS evaluations (id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES tasks, learner INTEGER NOT NULL REFERENCES learners,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    status INTEGER NOT NULL, message INTEGER NOT NULL REFERENCES messages,
    {", ".join(f"{column} REAL" for column in COLUMNS)}, chosen TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs, seconds REAL NOT NULL, worker TEXT NOT NULL,
    finished TEXT NOT NULL, UNIQUE (task, learner, repeat, fold));
CREATE TABLE IF NOT EXISTS labels (task INTEGER PRIMARY KEY REFERENCES tasks,
    archive BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS arrays (id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES tasks, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    split TEXT NOT NULL, dtype TEXT NOT NULL, rows INTEGER NOT NULL, classes INTEGER NOT NULL,
    count INTEGER NOT NULL, row_numbers BLOB NOT NULL, UNIQUE (task, repeat, fold, split));
CREATE TABLE IF NOT EXISTS predictions (array INTEGER NOT NULL REFERENCES arrays,
    position INTEGER NOT NULL, evaluation INTEGER NOT NULL REFERENCES evaluations,
    kind TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (array, position)) WITHOUT ROWID;
"""
FOLDER = "predictions"  # beside the database


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


EVALUATIONS = connection.StoreFormat(
    "evaluations.sqlite", "evaluations.lock", version=2, tables=TABLES, things="evaluations",
    key=EvaluationKey, fixed=("target", "procedure", "problem", "fingerprint"),
    refreshed=("metric", "openml_id", "licence"), how='make evaluate TASKS="…"',
    facts=(*connection.SHARED_FACTS, "tasks", "learners", "evaluations", "labels", "arrays"),
    bulk=("predictions",), folders=(FOLDER,))


ROWS = f"{EVALUATIONS.rows} JOIN messages m ON m.id = r.message"

PRECISIONS = {"single": "<f4", "double": "<f8"}  # of predictions as they are stored


CHECKED: set[tuple] = set()  # blocks that this process has found to be what was written


@dataclass(frozen=True)
class PredictionFile:
    """A file of predictions.

    Attributes
    ----------
    path : Path
    dtype : str
        NumPy's name, such as ``<f4``.
    rows, classes : int
        Of one evaluation's block; 0 classes where a row has one number.
    """

    path: Path
    dtype: str
    rows: int
    classes: int

    def __post_init__(self):
        if self.rows < 0 or self.classes < 0 or self.dtype not in PRECISIONS.values():
            raise connection.UnreadableStoreError(
                f"The store of {self.path} is damaged: predictions of {self.rows} rows, "
                f"{self.classes} classes, as {self.dtype!r} cannot be. Put a copy of it back in "
                "its place, or evaluate into another OUT.")

    @property
    def block(self) -> tuple[int, ...]:
        """Shape of one evaluation's predictions."""
        return (self.rows, self.classes) if self.classes else (self.rows,)

    @property
    def size(self) -> int:
        """Bytes of one evaluation's predictions."""
        return int(np.prod(self.block)) * np.dtype(self.dtype).itemsize

    def write(self, position: int, values: np.ndarray) -> int:
        """Write one evaluation's block, over what a killed run left there; return its CRC-32."""
        if values.shape != self.block:
            raise ValueError(f"{self.path} holds predictions of shape {self.block}, not "
                             f"{values.shape}.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        block = np.ascontiguousarray(values, self.dtype).tobytes()
        try:
            with self.path.open("r+b" if self.path.exists() else "xb") as file:
                file.seek(position * self.size)
                file.write(block)
        except OSError as error:  # which does not name the file where the disk is full
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        return crc32(block)

    def read(self, positions: np.ndarray,
             checksums: Sequence[int | None] | None = None) -> np.ndarray:
        """Return blocks, mapped where they lie one after the other, else read into memory.

        Parameters
        ----------
        positions : ndarray of int
        checksums : sequence of int, optional
            As `write` returned them (None: not known). They are looked at once in a process.

        Returns
        -------
        ndarray, shape (n_positions, rows[, classes])
            Read-only.

        Raises
        ------
        UnreadableStoreError
            Where the file is absent, cut short, or holds other bytes than were written.
        """
        need = (int(positions.max()) + 1) * self.size if len(positions) else 0
        have = self.path.stat().st_size if self.path.is_file() else -1
        if have < need:
            what = f"has {have} of at least {need} bytes" if have >= 0 else "is absent"
            raise connection.UnreadableStoreError(
                f"The predictions {self.path} {what}. Put a copy of it back in its place, or "
                "evaluate into another OUT.")
        if not need:
            return np.empty((len(positions), *self.block), self.dtype)
        mapped = np.memmap(self.path, self.dtype, "r", shape=(need // self.size, *self.block))
        self._check(mapped, positions, checksums or [None] * len(positions))
        first, last = int(positions[0]), int(positions[-1])
        if np.array_equal(positions, np.arange(first, last + 1)):
            return mapped[first:last + 1]
        return mapped[positions]

    def _check(self, mapped: np.ndarray, positions: np.ndarray,
               checksums: Sequence[int | None]) -> None:
        """Raise `UnreadableStoreError` for a block that is not what was written."""
        state = (str(self.path.resolve()), self.path.stat().st_mtime_ns)
        for position, stated in zip(positions.tolist(), checksums, strict=True):
            if stated is None or (*state, position, stated) in CHECKED:
                continue
            if crc32(np.ascontiguousarray(mapped[position])) != stated:
                raise connection.UnreadableStoreError(
                    f"The predictions {self.path} are damaged: block {position} is not what was "
                    "written. Put a copy of the file back in its place, or evaluate into another "
                    "OUT.")
            CHECKED.add((*state, position, stated))


def prediction_path(folder: Path, task: str, repeat: int, fold: int, split: str) -> Path:
    """Return where the predictions of a task's fold lie in the folder of a store."""
    plain = quote(task, safe=" ").replace(".", "%2E")  # nothing that leads out of the folder
    return folder / FOLDER / plain / f"{int(repeat)}-{int(fold)}-{quote(split, safe='')}.dat"


def pack_array(values: np.ndarray) -> bytes:
    """Return an array as NumPy's ``.npy`` archive."""
    buffer = BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def unpack_array(archive: bytes) -> np.ndarray:
    """Return the array of an archive that `pack_array` made; never unpickles."""
    return np.load(BytesIO(archive), allow_pickle=False)


@dataclass(frozen=True)
class StoredEvaluation:
    """An evaluation as a store holds it.

    Attributes
    ----------
    key : EvaluationKey
    run : int
        The row of the run that made it.
    values : mapping of str to object
        Columns `RESULT`, the message as text.
    predictions : mapping of split to (kind, ndarray)
    seconds : float
    worker, finished : str
    """

    key: EvaluationKey
    run: int
    values: Mapping[str, object]
    predictions: Mapping[str, tuple[str, np.ndarray]]
    seconds: float
    worker: str
    finished: str

    @property
    def results(self) -> dict[str, object]:
        """What is the same for the same results: all but times."""
        said = sorted((split, kind, block.tobytes())
                      for split, (kind, block) in self.predictions.items())
        return {**{name: value for name, value in self.values.items() if "_time" not in name},
                "predictions": sha256(repr(said).encode()).digest()}


def stored_evaluations(db: sqlite3.Connection, folder: Path,
                       task: str) -> Iterator[StoredEvaluation]:
    """Yield a task's evaluations; `UnreadableStoreError` where predictions are not as written."""
    columns = ", ".join("m.text" if name == "message" else f"r.{name}" for name in RESULT)
    for row in db.execute(f"SELECT {EVALUATIONS.labels}, {columns}, r.id, run, seconds, worker, "
                          f"finished {ROWS} WHERE s.name = ? ORDER BY r.id", (task,)):
        *key, of_row, run, seconds, worker, finished = (*row[:4], *row[-5:])
        of = EvaluationKey(*key)
        yield StoredEvaluation(key=of, run=run,
                               values=dict(zip(RESULT, row[4:-5], strict=True)),
                               predictions=_stored_predictions(db, folder, of, of_row),
                               seconds=seconds, worker=worker, finished=finished)


def _stored_predictions(db: sqlite3.Connection, folder: Path, key: EvaluationKey,
                        evaluation: int) -> dict[str, tuple[str, np.ndarray]]:
    """Return an evaluation's predictions by split: kind and values."""
    found = {}
    for split, dtype, n_rows, classes, position, kind, checksum in db.execute(
            "SELECT a.split, a.dtype, a.rows, a.classes, p.position, p.kind, p.checksum "
            "FROM predictions p "
            "JOIN arrays a ON a.id = p.array JOIN tasks t ON t.id = a.task "
            "WHERE t.name = ? AND a.repeat = ? AND a.fold = ? AND p.evaluation = ?",
            (key.task, key.repeat, key.fold, evaluation)):
        path = prediction_path(folder, key.task, key.repeat, key.fold, split)
        values = PredictionFile(path, dtype, n_rows, classes).read(np.array([position]), [checksum])
        found[split] = (kind, values[0])
    return found


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
        evaluation = self._insert(key, values_of(result.evaluation), self._run, result.seconds,
                                  result.worker, now())
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
        row = self._insert(stored.key, stored.values, run, stored.seconds, stored.worker,
                           stored.finished)
        for split, (kind, block) in stored.predictions.items():
            self.write_predictions(stored.key, row, split, kind, block)

    def _insert(self, key: EvaluationKey, values: Mapping[str, object], *made: Any) -> int:
        """Insert an evaluation, whose message is text, and return its row."""
        message = self._id("messages", values["message"])
        return self._enter_result(key, *made, **{**values, "message": message})

    def write_predictions(self, key: EvaluationKey, evaluation: int, split: str, kind: str,
                          values: np.ndarray) -> None:
        """Append an evaluation's predictions to their file, and enter them in the index."""
        array, dtype, rows, classes, count = self._db.execute(
            "SELECT a.id, dtype, a.rows, a.classes, count FROM arrays a WHERE task = ? AND "
            "repeat = ? AND fold = ? AND split = ?",
            (self._id("tasks", key.task), key.repeat, key.fold, split)).fetchone()
        path = prediction_path(self.folder, key.task, key.repeat, key.fold, split)
        checksum = PredictionFile(path, dtype, rows, classes).write(count, values)
        self._enter("predictions", {"array": array, "position": count, "evaluation": evaluation,
                                    "kind": kind, "checksum": checksum})
        self._db.execute("UPDATE arrays SET count = count + 1 WHERE id = ?", (array,))


def values_of(evaluation: Evaluation) -> dict[str, object]:
    """Return an evaluation's columns `RESULT`, the message as text; NaN becomes NULL."""
    numbers = {"train_time": (evaluation.train_time,), "predict_time": evaluation.predict_time}
    of_columns = {column: to_null(value) for name, metric in METRICS.items() for column, value in
                  zip(metric.columns, numbers.get(name, evaluation.measures.get(name, NONE)),
                      strict=False)}
    return {"status": int(evaluation.status), "message": evaluation.message or "", **of_columns,
            "chosen": json.dumps(list(evaluation.chosen)) if evaluation.chosen else ""}
