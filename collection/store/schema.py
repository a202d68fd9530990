"""The tables of a store, and the columns that each metric of the container takes in them.

========== =====================================================================================
table      a row is
========== =====================================================================================
settings   one setting that every curve in the store was collected under (name, value as JSON)
runs       one run of the collection: when, where, versions (JSON)
datasets   a dataset: name (its label in the container), spec, OpenML id, shape, fingerprint
learners   a learner's name
messages   a distinct message; number 0 is the empty one
curves     a finished curve: what it is of, seconds it took, where; `curve_checksum` of its fits
fits       a fit: curve, anchor (rows), status (`containers.curves.Status`), metrics or NULL
predictions a fit's class probabilities or scores: an ``.npz`` archive, where they were asked for
seals      the CRC-32 of a row of any of these tables but ``fits``, by the row's key
========== =====================================================================================

Scalings, leakages, outer and inner seeds are stored as they are. A curve and all of its fits are
written in one transaction, so a curve is either complete or absent. The file says by SQLite's
``user_version`` which version of these tables it has; 0 stands for 1.
"""

from collections.abc import Collection, Iterable, Mapping
from io import BytesIO
from zlib import crc32

import numpy as np
from numpy.lib.recfunctions import repack_fields

from collection.containers.curves import FIT_DIMS, METRICS, SPLITS
from collection.store.connection import SHARED_FACTS, SHARED_TABLES, Form

FILE = "curves.sqlite"
LOCK = "curves.lock"
VERSION = 2  # of the tables below: to be raised when what is stored changes its meaning


def metric_columns(name: str) -> list[str]:
    """Return the columns of ``fits`` that hold metric `name`: one per split, or one."""
    if METRICS[name].dims == FIT_DIMS:
        return [name]
    return [f"{name}_{split}" for split in SPLITS]


COLUMNS = [column for name in METRICS for column in metric_columns(name)]

TABLES = f"""{SHARED_TABLES}
CREATE TABLE IF NOT EXISTS datasets (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,
    spec TEXT NOT NULL, openml_id INTEGER, source TEXT, licence TEXT, rows INTEGER,
    features INTEGER, categorical INTEGER, classes INTEGER, missing_values INTEGER,
    train_size INTEGER, fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS learners (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS curves (id INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL REFERENCES datasets, learner INTEGER NOT NULL REFERENCES learners,
    scaling TEXT NOT NULL, leakage TEXT NOT NULL, outer INTEGER NOT NULL, inner INTEGER NOT NULL,
    run INTEGER NOT NULL REFERENCES runs, seconds REAL NOT NULL, worker TEXT NOT NULL,
    finished TEXT NOT NULL, checksum INTEGER,
    UNIQUE (dataset, learner, scaling, leakage, outer, inner));
CREATE TABLE IF NOT EXISTS fits (curve INTEGER NOT NULL REFERENCES curves,
    anchor INTEGER NOT NULL, status INTEGER NOT NULL, message INTEGER NOT NULL REFERENCES messages,
    {", ".join(f"{column} REAL" for column in COLUMNS)},
    PRIMARY KEY (curve, anchor)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS predictions (curve INTEGER NOT NULL REFERENCES curves,
    anchor INTEGER NOT NULL, archive BLOB NOT NULL, PRIMARY KEY (curve, anchor));
"""

# Columns that stores of before lack: what they hold of it is not known, or there is none.
OF_NUMBERS = [column for name in METRICS if METRICS[name].of == "numbers"
              for column in metric_columns(name)]
LATER = {"curves": {"checksum": "INTEGER"}, "fits": dict.fromkeys(OF_NUMBERS, "REAL")}

CURVES = Form(FILE, LOCK, VERSION, TABLES, "predictions", "curves", 'make collect DATASETS="…"',
              (*SHARED_FACTS, "datasets", "learners", "curves"), ("predictions",), LATER)

#: A fit as a record; a NULL becomes NaN.
FIT = np.dtype([("anchor", "i8"), ("status", "i1"), ("message", "i4"),
                *((column, "f8") for column in COLUMNS)])


FIT_OF_CLASSES = [name for name in FIT.names if name not in OF_NUMBERS]


def curve_checksum(key: Iterable, fits: np.ndarray) -> int:
    """Return the CRC-32 of a curve, which shows a byte that was flipped within the file.

    Of curves of classes the columns for numbers do not count, which stores of before lack.

    Parameters
    ----------
    key : iterable of str and int
        What it is of: `collection.containers.curves.CurveKey`'s fields.
    fits : ndarray of `FIT`, shape (n_fits,)
        By ascending anchor.
    """
    if all(np.isnan(fits[column]).all() for column in OF_NUMBERS):
        fits = repack_fields(fits[FIT_OF_CLASSES])
    return crc32(np.ascontiguousarray(fits).tobytes(), crc32(repr(tuple(key)).encode()))


def to_archive(predictions: Mapping[str, np.ndarray]) -> bytes:
    """Return the arrays as a compressed ``.npz`` archive."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **predictions)
    return buffer.getvalue()


def from_archive(archive: bytes, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Return the arrays of an archive that `to_archive` made; never unpickles.

    Of `names`, those that are there; by default all.
    """
    with np.load(BytesIO(archive), allow_pickle=False) as arrays:
        wanted = arrays.files if names is None else [n for n in arrays.files if n in names]
        return {name: arrays[name] for name in wanted}
