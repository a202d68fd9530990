"""Write learning curves to a store: one transaction per curve, nothing twice."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np

from collection.containers.curves import METRICS, SPLITS, CurveKey
from collection.store.base import Writer, now
from collection.store.reader import StoredCurve
from collection.store.schema import (
    CURVES,
    FIT,
    curve_checksum,
    metric_columns,
    to_archive,
)

INSERT_FIT = (f"INSERT INTO fits ({', '.join(('curve', *FIT.names))}) "
              f"VALUES ({', '.join('?' * (1 + len(FIT.names)))})")
PER_SPLIT = {name: len(metric_columns(name)) == len(SPLITS) for name in METRICS}


class StoreWriter(Writer):
    """The one writer of the curves in a folder; see `collection.store.base.Writer`."""

    form = CURVES
    add_dataset = Writer.add_subject

    def _add(self, key: CurveKey, result: Any) -> None:
        """Store a curve (`collection.running.curve.CurveResult`), within a transaction."""
        curve = self._insert(key, map(self._record, result.fits), result.seconds, result.worker,
                             now(), self._run)
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
        row = self._insert(curve.key, fits.tolist(), curve.seconds, curve.worker, curve.finished,
                           run)
        self._db.executemany(f"INSERT INTO predictions VALUES ({row}, ?, ?)", db.execute(
            "SELECT anchor, archive FROM predictions WHERE curve = ?", (curve.row,)))

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


def _values(fit: object) -> list[float | None]:
    """Return the fit's metrics in the order of `COLUMNS`; NaN becomes NULL."""
    values = []
    for name, per_split in PER_SPLIT.items():
        value = getattr(fit, name)
        values += value if per_split else (value,)
    # Adding 0: SQLite does not keep the sign of a zero.
    return [None if value is None or value != value else float(value) + 0. for value in values]
