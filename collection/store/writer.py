"""Write to a store: one process at a time, one transaction per curve, nothing twice."""

import fcntl
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from collection.container import METRICS, SPLITS
from collection.store.predictions import pack
from collection.store.schema import COLUMNS, FILE, LOCK, TABLES, metric_columns

PATIENCE = 10.0  # seconds to wait for a run that was just killed to let go of the store


class ChangedSettingsError(ValueError):
    """What the store was collected under is not what is asked for now."""


class LockedStoreError(RuntimeError):
    """Another run is writing to the store."""


@dataclass(frozen=True)
class CurveKey:
    """What a stored curve is of; `dataset` is the dataset's name, not its spec."""

    dataset: str
    learner: str
    scaling: str
    leakage: str
    outer: int
    inner: int


@dataclass
class StoreWriter:
    """The one writer of the store in `folder`; a context manager.

    Parameters
    ----------
    folder : Path
        Created if absent.
    settings : mapping of str to JSON values
        What every curve of the store depends on. A new setting is added.
    provenance : mapping of str to JSON values
        Versions and platform of this run.
    patience : float
        Seconds to wait for another writer to go away.

    Raises
    ------
    LockedStoreError
        Where another run holds the store. A killed run holds nothing.
    ChangedSettingsError
        Where the store was collected under other settings; nothing is written then.
    """

    folder: Path
    settings: Mapping[str, object]
    provenance: Mapping[str, object]
    patience: float = PATIENCE
    _ids: dict[tuple[str, str], int] = field(default_factory=dict, init=False, repr=False)

    def __enter__(self) -> "StoreWriter":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _acquire(self.folder / LOCK, self.patience)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.OperationalError):  # someone is reading: the log stays
            self._db.execute("PRAGMA journal_mode = DELETE")  # leave a single file behind
        self._db.close()
        self._lock.close()

    def _open(self) -> None:
        check_unchanged(self.folder, self.settings)
        self._db = sqlite3.connect(self.folder / FILE, isolation_level=None)
        # With a write-ahead log a commit survives the process; no need to wait for the disk.
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript("BEGIN;" + TABLES + "COMMIT;")
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", [
                (name, json.dumps(value)) for name, value in self.settings.items()])
            self._run = self._db.execute(
                "INSERT INTO runs (started, provenance) VALUES (?, ?)",
                (_now(), json.dumps(dict(self.provenance)))).lastrowid

    def add_dataset(self, row: Mapping[str, object]) -> None:
        """Register a dataset, given the columns of table ``datasets``.

        Raises
        ------
        ChangedSettingsError
            Where the store holds curves of other data under this name.
        """
        stored = self._db.execute("SELECT spec, fingerprint FROM datasets WHERE name = ?",
                                  (row["name"],)).fetchone()
        if stored and stored[1] != row["fingerprint"]:
            raise ChangedSettingsError(
                f"{self.folder} already holds curves of a dataset called {row['name']!r}, "
                f"read from {stored[0]}; {row['spec']} holds other data. "
                "Rename it or collect it into another OUT.")
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

    def add_curve(self, key: CurveKey, fits: Sequence, seconds: float, worker: str) -> None:
        """Store a finished curve with all of its fits (`collection.curve.Fit`), or nothing."""
        with self._db:
            self._db.execute("BEGIN")
            dataset, learner = self._id("datasets", key.dataset), self._id("learners", key.learner)
            curve = self._db.execute(
                "INSERT INTO curves (dataset, learner, scaling, leakage, outer, inner, run, "
                "seconds, worker, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (dataset, learner, key.scaling, key.leakage, key.outer, key.inner, self._run,
                 seconds, worker, _now())).lastrowid
            marks = ", ".join("?" * (4 + len(COLUMNS)))
            self._db.executemany(f"INSERT INTO fits VALUES ({marks})", [
                (curve, int(fit.anchor), int(fit.status), self._id("messages", fit.message or ""),
                 *_values(fit)) for fit in fits])
            self._db.executemany("INSERT INTO predictions VALUES (?, ?, ?)", [
                (curve, int(fit.anchor), pack(fit.predictions))
                for fit in fits if fit.predictions is not None])

    def _id(self, table: str, label: str) -> int:
        """Return the row of a name or message, adding it where the table lacks it."""
        if (table, label) not in self._ids:
            column = "text" if table == "messages" else "name"
            find = f"SELECT id FROM {table} WHERE {column} = ?"
            if self._db.execute(find, (label,)).fetchone() is None:
                self._db.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (label,))
            self._ids[table, label] = self._db.execute(find, (label,)).fetchone()[0]
        return self._ids[table, label]


def check_unchanged(folder: Path, settings: Mapping[str, object]) -> None:
    """Raise `ChangedSettingsError`, naming every difference, if `folder` holds another collection.

    Writes nothing; a folder without a store suits any settings.
    """
    if not (folder / FILE).exists():
        return
    with closing(sqlite3.connect(folder / FILE)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'settings'").fetchone():
            return  # killed before its first transaction
        stored = {name: json.loads(value) for name, value in db.execute("SELECT * FROM settings")}
    asked = json.loads(json.dumps(dict(settings)))
    changed = [f"{name} was {stored[name]!r} and is now {asked[name]!r}"
               for name in stored if name in asked and stored[name] != asked[name]]
    if changed:
        raise ChangedSettingsError(
            f"{folder} was collected under other settings: {'; '.join(changed)}. "
            "Set them back, or collect into another OUT.")


def _acquire(path: Path, patience: float):
    """Open and lock the file; the operating system unlocks it whenever its holder ends."""
    lock = path.open("w")
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > until:
                lock.close()
                raise LockedStoreError(
                    f"Another run is writing to {path.parent}. Wait for it to end or stop it; "
                    "or collect into another OUT.") from None
            time.sleep(0.1)


def _values(fit: object) -> list[float | None]:
    """Return the fit's metrics in the order of `COLUMNS`; NaN becomes NULL."""
    values = []
    for name in METRICS:
        value = getattr(fit, name)
        per_split = len(metric_columns(name)) == len(SPLITS)
        values += list(value) if per_split else [value]
    return [None if value is None or value != value else float(value) for value in values]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
