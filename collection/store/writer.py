"""Write learning curves to a store: one transaction per curve, nothing twice."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path

import numpy as np

from collection.container import METRICS, SPLITS, CurveKey
from collection.store.base import ChangedSettingsError, Writer, now
from collection.store.connection import connect_to_read, damage_named
from collection.store.schema import (
    COLUMNS,
    CURVES,
    FILE,
    FIT,
    curve_checksum,
    metric_columns,
    to_archive,
)

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
        return {CurveKey(*row) for row in self._db.execute(
            "SELECT d.name, l.name, scaling, leakage, outer, inner FROM curves c "
            "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner")}

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """Return the mean seconds that stored curves took, by dataset's name and learner."""
        return {(dataset, learner): seconds for dataset, learner, seconds in self._db.execute(
            "SELECT d.name, l.name, avg(seconds) FROM curves c JOIN datasets d ON d.id = c.dataset "
            "JOIN learners l ON l.id = c.learner GROUP BY c.dataset, c.learner")}

    def add(self, key: CurveKey, result) -> None:
        """Store a curve as the engine brings it (`collection.running.curve_job.CurveResult`)."""
        self.add_curve(key, result.fits, result.seconds, result.worker)

    def add_curve(self, key: CurveKey, fits: Sequence, seconds: float, worker: str) -> None:
        """Store a finished curve with all of its fits (`collection.curve.Fit`), or nothing.

        The one file holds it then, however this run ends: it is not left in the log beside it,
        unless somebody is reading just now.
        """
        with self._db:
            self._db.execute("BEGIN")
            dataset, learner = self._id("datasets", key.dataset), self._id("learners", key.learner)
            curve = self._db.execute(
                "INSERT INTO curves (dataset, learner, scaling, leakage, outer, inner, run, "
                "seconds, worker, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (dataset, learner, key.scaling, key.leakage, key.outer, key.inner, self._run,
                 seconds, worker, now())).lastrowid
            rows = [(int(fit.anchor), int(fit.status), self._id("messages", fit.message or ""),
                     *_values(fit)) for fit in sorted(fits, key=lambda fit: fit.anchor)]
            marks = ", ".join("?" * (4 + len(COLUMNS)))
            names = ", ".join(("curve", *FIT.names))
            self._db.executemany(f"INSERT INTO fits ({names}) VALUES ({marks})",
                                 [(curve, *values) for values in rows])
            self._db.execute("UPDATE curves SET checksum = ? WHERE id = ?",
                             (curve_checksum(astuple(key), np.array(rows, FIT)), curve))
            self._db.executemany("INSERT INTO predictions VALUES (?, ?, ?)", [
                (curve, int(fit.anchor), to_archive(fit.predictions))
                for fit in fits if fit.predictions is not None])
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")


def check_same_data(folder: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Raise `ChangedSettingsError` if `folder` holds curves of other data under a dataset's name.

    Parameters
    ----------
    folder : Path
        Of a collection; one without a store suits any data. Nothing is written.
    rows : iterable of mapping
        Of the columns of table ``datasets``.
    """
    file = folder / FILE
    if not file.exists():
        return
    with damage_named(file), ExitStack() as opened:
        db = connect_to_read(file, opened)
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'datasets'").fetchone():
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
    for name in METRICS:
        value = getattr(fit, name)
        per_split = len(metric_columns(name)) == len(SPLITS)
        values += list(value) if per_split else [value]
    # Adding 0: SQLite does not keep the sign of a zero.
    return [None if value is None or value != value else float(value) + 0. for value in values]
