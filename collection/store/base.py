"""Write to a store of any kind: one process at a time, in transactions, under fixed settings."""

import json
import shutil
import signal
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from collection.project.locks import held
from collection.project.paths import LinkError
from collection.store import connection


class ChangedSettingsError(ValueError):
    """What the store was collected under is not what is asked for now."""


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Have SIGTERM interrupt what runs in the context as Ctrl-C does, so that it is left in order.

    Only where it would end the process at once otherwise, and in the main thread, which alone may
    handle signals.
    """
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@dataclass
class Writer:
    """The one writer of the store in `folder`; a context manager.

    What is written, and into which tables, is for the kinds of store to add.

    Parameters
    ----------
    folder : Path
        Created if absent.
    settings : mapping of str to JSON values
        What everything in the store depends on. A new setting is added.
    provenance : mapping of str to JSON values
        Versions and platform of this run.
    undone : bool
        Whether a run that fails takes a store away again that was not there before it.

    Raises
    ------
    LockedStoreError
        Where another run holds the store. A killed run holds nothing.
    ChangedSettingsError
        Where the store was collected under other settings; nothing is written then.
    LinkError
        Where a file or folder of it is a link.
    UnreadableStoreError
        Where the store is damaged or of a later version.
    """

    form: ClassVar[connection.StoreFormat]
    folder: Path
    settings: Mapping[str, object]
    provenance: Mapping[str, object]
    undone: bool = False
    _ids: dict[tuple[str, str], int] = field(default_factory=dict, init=False, repr=False)

    def __enter__(self) -> "Writer":
        folder = self.folder.exists()
        there = {path.name for path in self.folder.iterdir()} if folder else set()
        with ExitStack() as opened:
            opened.enter_context(interrupted_by_sigterm())
            opened.enter_context(held(self.folder / self.form.lock))
            opened.push(partial(self._leave, folder, there))
            self._check_links(there)
            opened.enter_context(connection.damage_named(
                self.folder / self.form.file, self.form.things, reading=False))
            connection.check_own(self.folder / self.form.file, self.form)
            check_unchanged(self.folder, self.settings, self.form)
            self._db = opened.enter_context(
                closing(sqlite3.connect(self.folder / self.form.file, isolation_level=None)))
            self._begin()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        with suppress(sqlite3.DatabaseError):  # someone is reading: the log stays
            self._db.execute("PRAGMA journal_mode = DELETE")  # leave a single file behind
        self._opened.__exit__(*exception)

    def _check_links(self, there: Set[str]) -> None:
        """Raise `LinkError` where a link lies that would be written through."""
        own = [self.folder / name for name in sorted(there)
               if name.startswith(self.form.file) or name in self.form.folders]
        for path in chain(own, *(path.rglob("*") for path in own)):
            if path.is_symlink():
                raise LinkError(f"{path} is a link, and what it points to would be written to: "
                                "remove it, or name another OUT.")

    def _leave(self, folder: bool, there: Set[str], kind: type | None, *_: object) -> None:
        """Undo, while the lock is held, what a run made that failed, told what was there before."""
        if kind is None or self.form.file in there or not self.undone:
            return
        for path in (*self.folder.glob(f"{self.form.file}*"), self.folder / self.form.lock):
            if path.name not in there:
                path.unlink(missing_ok=True)
        for name in set(self.form.folders) - there:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        if not folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _begin(self) -> None:
        """Make the tables where they are absent; record the settings and this run."""
        # With a write-ahead log, others may read while something is written.
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._db:  # all of it or nothing, on a full disk too
            self._db.executescript(
                f"BEGIN; PRAGMA user_version = {self.form.version}; {self.form.tables}")
            connection.add_lacking(self._db, self.form)
            connection.seal_rows(self._db, self.form)
            self._db.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", [
                (name, json.dumps(value)) for name, value in self.settings.items()])
            self._run = self.take_run(now(), json.dumps(dict(self.provenance)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is written in the context one transaction."""
        with self._db:
            self._db.execute("BEGIN")
            yield

    def add_subject(self, row: Mapping[str, object]) -> None:
        """Register a dataset, or a task, given the columns of the table of them.

        Raises
        ------
        ChangedSettingsError
            Where the store holds work on something else under this name.
        """
        table = f"{self.form.subject}s"
        if _check_same(self.folder, self._db, row, self.form):
            changes = ", ".join(f"{name} = :{name}" for name in self.form.refreshed)
            self._db.execute(f"UPDATE {table} SET {changes} WHERE name = :name", dict(row))
        else:
            self._enter(table, row)

    def finished(self) -> Set:
        """Return the keys of what is in the store."""
        return self.form.finished(self._db)

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """Return the mean seconds that stored work took, by names of its subject and learner."""
        return self.form.mean_seconds(self._db)

    def add_all(self, results: Mapping) -> None:
        """Store results as the engine brings them, by their keys; all or none of them.

        The one file holds them then, however this run ends: they are not left in the log beside
        it, unless somebody is reading just now.
        """
        with self.transaction():
            for key, result in results.items():
                self._add(key, result)
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def add(self, key: Any, result: Any) -> None:
        """Store one result."""
        self.add_all({key: result})

    def _add(self, key: Any, result: Any) -> None:
        raise NotImplementedError

    def take_run(self, started: str, provenance: str) -> int:
        """Take over what is known of another file's run; return its number here."""
        return self._enter("runs", {"started": started, "provenance": provenance})

    def _enter_result(self, key: Any, run: int, seconds: float, worker: str, finished: str,
                      **values: object) -> int:
        """Insert what a result is of, when and where it was made, and values; return its row."""
        subject = self.form.subject
        return self._enter(self.form.things, {
            **vars(key), subject: self._id(f"{subject}s", getattr(key, subject)),
            "learner": self._id("learners", key.learner), "run": run, "seconds": seconds,
            "worker": worker, "finished": finished, **values})

    def _enter(self, table: str, row: Mapping[str, object]) -> int:
        """Insert a row, given its columns; return its number."""
        marks = ", ".join(f":{name}" for name in row)
        return self._db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})",
                                dict(row)).lastrowid

    def _id(self, table: str, label: str) -> int:
        """Return the row of a name or message, adding it where the table lacks it."""
        if (table, label) not in self._ids:
            column = "text" if table == "messages" else "name"
            find = f"SELECT id FROM {table} WHERE {column} = ?"
            found = self._db.execute(find, (label,)).fetchone()
            self._ids[table, label] = found[0] if found else self._enter(table, {column: label})
        return self._ids[table, label]


def check_unchanged(folder: Path, settings: Mapping[str, object],
                    form: connection.StoreFormat) -> None:
    """Raise `ChangedSettingsError`, naming every difference, if `folder` holds another collection.

    Writes nothing; a folder without a store suits any settings. Raises `UnreadableStoreError`
    where the store is damaged or of a later version.
    """
    if not connection.is_begun(folder, form):
        return
    file = folder / form.file
    with connection.connected(file, form.things) as db:
        connection.check_store(db, file, form)
        connection.check_whole(db, file, form, bulk=True)
        stored = form.settings(db)
    asked = json.loads(json.dumps(dict(settings)))
    changed = [f"{name} was {stored[name]!r} and is now {asked[name]!r}"
               for name in stored if name in asked and stored[name] != asked[name]]
    if changed:
        raise ChangedSettingsError(
            f"{folder} was collected under other settings: {'; '.join(changed)}. "
            "Set them back, or collect into another OUT.")


def check_same(folder: Path, rows: Iterable[Mapping[str, object]],
               form: connection.StoreFormat) -> None:
    """Raise `ChangedSettingsError` if `folder` holds work on something else under one of the names.

    Parameters
    ----------
    folder : Path
        Of a store; one without suits anything. Nothing is written.
    rows : iterable of mapping
        Of the columns of the table of datasets, or of tasks.
    form : StoreFormat
    """
    if not connection.is_begun(folder, form):
        return
    with connection.connected(folder / form.file, form.things) as db:
        for row in rows:
            _check_same(folder, db, row, form)


def _check_same(folder: Path, db: sqlite3.Connection, row: Mapping[str, object],
                form: connection.StoreFormat) -> bool:
    """Tell whether the store has what a row is of; raise where it has another by that name."""
    stored = db.execute(f"SELECT spec, {', '.join(form.fixed)} FROM {form.subject}s "
                        "WHERE name = ?", (row["name"],)).fetchone()
    if stored is None:
        return False
    spec, *known = stored
    if changed := [(name, value) for name, value in zip(form.fixed, known, strict=True)
                   if value != row[name]]:
        raise ChangedSettingsError(
            f"{folder} already holds {form.things} of a {form.subject} called {row['name']!r} "
            f"(read from {spec}), with another {' and '.join(name for name, _ in changed)}: "
            + "; ".join(f"{name} was {value} and is now {row[name]}" for name, value in changed)
            + f" of {row['spec']} (a fingerprint is of the data). Set it back, name it otherwise, "
            "or use another OUT.")
    return True


def to_null(value: float | None) -> float | None:
    """Return a number as it is stored, NaN as None."""
    # Adding 0: SQLite does not keep the sign of a zero.
    return None if value is None or value != value else float(value) + 0.


def now() -> str:
    """Return the time in UTC, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")
