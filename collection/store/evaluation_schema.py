"""The tables of a store of evaluations.

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
database in ``predictions/``; see `collection.store.evaluation_schema`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

import numpy as np

from collection.containers.evaluations import COLUMNS
from collection.store.connection import (
    SHARED_FACTS,
    SHARED_TABLES,
    Form,
    UnreadableStoreError,
)

TASK_COLUMNS = {
    "name": "TEXT UNIQUE NOT NULL", "spec": "TEXT NOT NULL", "target": "TEXT NOT NULL",
    "procedure": "TEXT NOT NULL", "problem": "TEXT NOT NULL", "metric": "TEXT NOT NULL",
    "class_names": "TEXT NOT NULL", "openml_id": "INTEGER", "source": "TEXT", "licence": "TEXT",
    "rows": "INTEGER", "features": "INTEGER", "categorical": "INTEGER", "classes": "INTEGER",
    "missing_values": "INTEGER", "fingerprint": "TEXT NOT NULL",
}
RESULT = ("status", "message", *COLUMNS, "chosen")

TABLES = f"""{SHARED_TABLES}
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
# Columns that stores of before lack: what they hold of it is not known.
LATER = {"predictions": {"checksum": "INTEGER"}}

EVALUATIONS = Form("evaluations.sqlite", "evaluations.lock", 2, TABLES, "predictions",
                   "evaluations", 'make evaluate TASKS="…"',
                   (*SHARED_FACTS, "tasks", "learners", "evaluations", "labels", "arrays"),
                   ("predictions",), LATER)


OF = ("FROM evaluations e JOIN tasks t ON t.id = e.task JOIN learners l ON l.id = e.learner "
      "JOIN messages m ON m.id = e.message")

FOLDER = "predictions"
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
            raise UnreadableStoreError(
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
            raise UnreadableStoreError(f"The predictions {self.path} {what}. Put a copy of it "
                                       "back in its place, or evaluate into another OUT.")
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
                raise UnreadableStoreError(
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
