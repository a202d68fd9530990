"""Write learning curves to a store: one transaction per curve, nothing twice."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from collection.containers.curves import METRICS, SPLITS, CurveKey
from collection.store.base import ChangedSettingsError, Writer, now
from collection.store.connection import connect_to_read, damage_named, is_begun
from collection.store.reader import StoredCurve
from collection.store.schema import (
    CURVES,
    FILE,
    FIT,
    curve_checksum,
    metric_columns,
    to_archive,
)

INSERT_FIT = (f"INSERT INTO fits ({', '.join(('curve', *FIT.names))}) "
              f"VALUES ({', '.join('?' * (1 + len(FIT.names)))})")
PER_SPLIT = {name: len(metric_columns(name)) == len(SPLITS) for name in METRICS}
DATA = "SELECT spec, fingerprint FROM datasets WHERE name = ?"


class StoreWriter(Writer):
    """The one writer of the curves in a folder; see `collection.store.base.Writer`."""

    form = CURVES

    def add_dataset(self, row: Mapping[str, object]) -> None:
        """Register a dataset, given the columns of table ``datasets``.

        Raises
        ------
        ChangedSettingsError
            Where the store holds curves of other data under this name.
        """
        stored = self._db.execute(DATA, (row["name"],)).fetchone()
        _check_same(self.folder, row, stored)
        if stored:  # what is known of its origin may have changed
            self._db.execute("UPDATE datasets SET openml_id = :openml_id, licence = :licence "
                             "WHERE name = :name", dict(row))
            return
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        self._db.execute(f"INSERT INTO datasets ({names}) VALUES ({marks})", dict(row))

    def finished(self) -> set[CurveKey]:
        """Return the curves that are in the store."""
        return finished_curves(self._db)

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """Return the mean seconds that stored curves took, by dataset's name and learner."""
        return mean_seconds(self._db)

    def add_all(self, results: Mapping[CurveKey, object]) -> None:
        """Store curves as the engine brings them, or none of them, in one transaction.

        Those are `collection.running.curve.CurveResult`. The one file holds them then,
        however this run ends: they are not left in the log beside it, unless somebody is reading
        just now.
        """
        with self.transaction():
            for key, result in results.items():
                curve = self._insert(key, map(self._record, result.fits), result.seconds,
                                     result.worker, now(), self._run)
                self._db.executemany("INSERT INTO predictions VALUES (?, ?, ?)", [
                    (curve, int(fit.anchor), to_archive(fit.predictions))
                    for fit in result.fits if fit.predictions is not None])
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def add_curve(self, key: CurveKey, fits: Sequence, seconds: float, worker: str) -> None:
        """Store a finished curve with all of its fits (`running.curve.Fit`), or nothing."""
        self.add_all({key: SimpleNamespace(fits=fits, seconds=seconds, worker=worker)})

    def take(self, curve: StoredCurve, run: int, db: sqlite3.Connection) -> None:
        """Take a curve over from another file, within a transaction; its run is `run` here."""
        fits = curve.fits.copy()
        fits["message"] = [self._id("messages", text) for text in curve.messages]
        row = self._insert(curve.key, fits.tolist(), curve.seconds, curve.worker, curve.finished,
                           run)
        self._db.executemany(f"INSERT INTO predictions VALUES ({row}, ?, ?)", db.execute(
            "SELECT anchor, archive FROM predictions WHERE curve = ?", (curve.row,)))

    def take_run(self, started: str, provenance: str) -> int:
        """Take over what is known of another file's run; return its number here."""
        return self._db.execute("INSERT INTO runs (started, provenance) VALUES (?, ?)",
                                (started, provenance)).lastrowid

    def _insert(self, key: CurveKey, records: Iterable[tuple], seconds: float, worker: str,
                finished: str, run: int) -> int:
        """Insert a curve with its fits, records as of `FIT`; return its row."""
        records = sorted(records)
        curve = self._db.execute(
            "INSERT INTO curves (dataset, learner, scaling, leakage, outer, inner, run, seconds, "
            "worker, finished, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._id("datasets", key.dataset), self._id("learners", key.learner), key.scaling,
             key.leakage, key.outer, key.inner, run, seconds, worker, finished,
             curve_checksum(astuple(key), np.array(records, FIT)))).lastrowid
        self._db.executemany(INSERT_FIT, [(curve, *record) for record in records])
        return curve

    def _record(self, fit: object) -> tuple:
        """Return a fit (`running.curve.Fit`) as a record of `FIT`, a NaN as None."""
        return (int(fit.anchor), int(fit.status), self._id("messages", fit.message or ""),
                *_values(fit))


def finished_curves(db: sqlite3.Connection) -> set[CurveKey]:
    """Return the curves that a file holds."""
    return {CurveKey(*row) for row in db.execute(
        "SELECT d.name, l.name, scaling, leakage, outer, inner FROM curves c "
        "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner")}


def mean_seconds(db: sqlite3.Connection) -> dict[tuple[str, str], float]:
    """Return the mean seconds that a file's curves took, by dataset's name and learner."""
    return {(dataset, learner): seconds for dataset, learner, seconds in db.execute(
        "SELECT d.name, l.name, avg(seconds) FROM curves c JOIN datasets d ON d.id = c.dataset "
        "JOIN learners l ON l.id = c.learner GROUP BY c.dataset, c.learner")}


def check_same_data(folder: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Raise `ChangedSettingsError` if `folder` holds curves of other data under a dataset's name.

    Parameters
    ----------
    folder : Path
        Of a collection; one without a store suits any data. Nothing is written.
    rows : iterable of mapping
        Of the columns of table ``datasets``.
    """
    if not is_begun(folder, CURVES):
        return
    with damage_named(folder / FILE), ExitStack() as opened:
        db = connect_to_read(folder / FILE, opened)
        for row in rows:
            _check_same(folder, row, db.execute(DATA, (row["name"],)).fetchone())


def _check_same(folder: Path, row: Mapping[str, object], stored: tuple[str, str] | None) -> None:
    if stored and stored[1] != row["fingerprint"]:
        raise ChangedSettingsError(
            f"{folder} already holds curves of a dataset called {row['name']!r}, read from "
            f"{stored[0]}; {row['spec']} holds other data. Rename it or collect it into another "
            "OUT.")


def _values(fit: object) -> list[float | None]:
    """Return the fit's metrics in the order of `COLUMNS`; NaN becomes NULL."""
    values = []
    for name, per_split in PER_SPLIT.items():
        value = getattr(fit, name)
        values += value if per_split else (value,)
    # Adding 0: SQLite does not keep the sign of a zero.
    return [None if value is None or value != value else float(value) + 0. for value in values]
