"""The store of curves: its tables, what is written to them, a curve as it lies there.

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

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from hashlib import sha256
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
from numpy.lib.recfunctions import repack_fields

from collection.containers.curves import METRICS, CurveKey
from collection.store import connection
from collection.store.base import Writer, now, to_null

FILE = "curves.sqlite"
COLUMNS = [column for metric in METRICS.values() for column in metric.columns]

TABLES = f"""{connection.SHARED_TABLES}
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

CURVES = connection.StoreFormat(
    FILE, "curves.lock", version=2, tables=TABLES, things="curves", key=CurveKey,
    fixed=("fingerprint",), refreshed=("openml_id", "licence"), how='make collect DATASETS="…"',
    facts=(*connection.SHARED_FACTS, "datasets", "learners", "curves"), bulk=("predictions",),
    assumed={"SEEDS": "paper"})

#: A fit as a record; a NULL becomes NaN.
FIT = np.dtype([("anchor", "i8"), ("status", "i1"), ("message", "i4"),
                *((column, "f8") for column in COLUMNS)])
# What a curve's checksum is of, by the columns' names and never by their order here: the first
# always, the second where one of them has a value, a column that came later where it has one.
FIRST = ("anchor", "status", "message", *(column for name in (
    "error_rate", "f1", "auc", "log_loss", "train_time", "predict_time")
    for column in METRICS[name].columns))
OF_NUMBERS = [c for name in ("relative_rmse", "mae", "r2") for c in METRICS[name].columns]
LATER = sorted({*COLUMNS} - {*FIRST, *OF_NUMBERS})
JUDGED = [name for name in FIT.names if "_time" not in name and name != "message"]
INSERT_FIT = (f"INSERT INTO fits ({', '.join(('curve', *FIT.names))}) "
              f"VALUES ({', '.join('?' * (1 + len(FIT.names)))})")


def curve_checksum(key: Iterable, fits: np.ndarray) -> int:
    """Return the CRC-32 of a curve, which shows a byte that was flipped within the file.

    Columns that stores of before lack do not count where they are empty: see `FIRST`.

    Parameters
    ----------
    key : iterable of str and int
        What it is of: `collection.containers.curves.CurveKey`'s fields.
    fits : ndarray of `FIT`, shape (n_fits,)
        By ascending anchor.
    """
    groups = (OF_NUMBERS, *([column] for column in LATER))
    names = [*FIRST, *(column for group in groups
                       if not all(np.isnan(fits[name]).all() for name in group)
                       for column in group)]
    return crc32(repack_fields(fits[names]).tobytes(), crc32(repr(tuple(key)).encode()))


def check_curve(key: Iterable, fits: np.ndarray, stated: float | None) -> None:
    """Raise `AlteredError` where the checksum of a curve is known and is not the one stated."""
    if stated is not None and stated == stated and curve_checksum(key, fits) != stated:
        raise connection.AlteredError(
            f"the curve of {', '.join(map(str, key))} is not what was written")


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


@dataclass(frozen=True)
class StoredCurve:
    """A curve as a file holds it.

    Attributes
    ----------
    key : CurveKey
    row, run : int
        Its row, and that of the run that gathered it.
    fits : ndarray of `FIT`
        By ascending anchor, messages by number.
    messages : tuple of str
        Their texts.
    seconds : float
    worker, finished : str
    """

    key: CurveKey
    row: int
    run: int
    fits: np.ndarray
    messages: tuple[str, ...]
    seconds: float
    worker: str
    finished: str

    @property
    def results(self) -> dict[str, object]:
        """What is the same for the same results: all but times and messages' numbers."""
        return {"message": self.messages, **{
            name: sha256(self.fits[name].tobytes()).digest() for name in JUDGED}}


def stored_curves(db: sqlite3.Connection, dataset: str) -> Iterator[StoredCurve]:
    """Yield the curves of a dataset; `AlteredError` where one is not what was written."""
    texts = dict(db.execute("SELECT id, text FROM messages"))
    columns = ", ".join(FIT.names)
    rows = db.execute(f"SELECT {CURVES.labels}, r.id, run, seconds, worker, finished, checksum "
                      f"{CURVES.rows} WHERE s.name = ? ORDER BY r.id", (dataset,)).fetchall()
    for *key, row, run, seconds, worker, finished, stated in rows:
        fits = np.array(db.execute(f"SELECT {columns} FROM fits WHERE curve = ? ORDER BY anchor",
                                   (row,)).fetchall(), FIT)
        check_curve(key, fits, stated)
        yield StoredCurve(key=CurveKey(*key), row=row, run=run, fits=fits,
                          messages=tuple(texts[m] for m in fits["message"]), seconds=seconds,
                          worker=worker, finished=finished)


class StoreWriter(Writer):
    """The one writer of the curves in a folder; see `collection.store.base.Writer`."""

    form = CURVES
    add_dataset = Writer.add_subject

    def _add(self, key: CurveKey, result: Any) -> None:
        """Store a curve (`collection.running.curve.CurveResult`), within a transaction."""
        curve = self._insert(key, map(self._record, result.fits), self._run, result.seconds,
                             result.worker, now())
        self._db.executemany("INSERT INTO predictions VALUES (?, ?, ?)", [
            (curve, int(fit.anchor), to_archive(fit.predictions))
            for fit in result.fits if fit.predictions is not None])

    def add_curve(self, key: CurveKey, fits: Sequence, seconds: float, worker: str) -> None:
        """Store a finished curve with all of its fits (`running.curve.Fit`), or nothing."""
        self.add_all({key: SimpleNamespace(fits=fits, seconds=seconds, worker=worker)})

    def take_subject(self, db: sqlite3.Connection, row: Mapping[str, object]) -> None:
        """Register a dataset as another file has it."""
        self.add_subject(row)

    def take(self, curve: StoredCurve, run: int, db: sqlite3.Connection) -> None:
        """Take a curve over from another file, within a transaction; its run is `run` here."""
        fits = curve.fits.copy()
        fits["message"] = [self._id("messages", text) for text in curve.messages]
        row = self._insert(curve.key, fits.tolist(), run, curve.seconds, curve.worker,
                           curve.finished)
        self._db.executemany(f"INSERT INTO predictions VALUES ({row}, ?, ?)", db.execute(
            "SELECT anchor, archive FROM predictions WHERE curve = ?", (curve.row,)))

    def _insert(self, key: CurveKey, records: Iterable[tuple], *made: Any) -> int:
        """Insert a curve with its fits, records as of `FIT`; return its row."""
        records = sorted(records)
        curve = self._enter_result(
            key, *made, checksum=curve_checksum(astuple(key), np.array(records, FIT)))
        self._db.executemany(INSERT_FIT, [(curve, *record) for record in records])
        return curve

    def _record(self, fit: object) -> tuple:
        """Return a fit (`running.curve.Fit`) as a record of `FIT`, a NaN as None."""
        return (int(fit.anchor), int(fit.status), self._id("messages", fit.message or ""),
                *_values(fit))


def _values(fit: object) -> Iterator[float | None]:
    """Yield the fit's metrics in the order of `COLUMNS`; NaN becomes NULL."""
    for metric in METRICS.values():
        value = getattr(fit, metric.name)
        yield from map(to_null, value if "split" in metric.dims else (value,))
