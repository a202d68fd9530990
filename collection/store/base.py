"""Write to a store of any kind: one process at a time, in transactions, under fixed settings."""

import fcntl
import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, ClassVar

from collection.store.connection import (
    Form,
    check_store,
    check_whole,
    columns_of,
    connect_to_read,
    damage_named,
    is_begun,
    seal_rows,
)
from collection.store.schema import CURVES

PATIENCE = 10.0  # seconds to wait for a run that was just killed to let go of what it held


class LockedStoreError(RuntimeError):
    """Another run is writing to the store."""


@contextmanager
def held(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock `path` in the context; the system lets it go whenever its holder ends.

    Parameters
    ----------
    path : Path
        Created if absent.
    patience : float
        Seconds to wait for another holder to go away.

    Raises
    ------
    LockedStoreError
        Where it does not.
    """
    with _locked(path, time.monotonic() + patience):
        yield


def _locked(path: Path, until: float) -> IO[str]:
    """Return the lock's file, open, once it is ours and still the one that others find."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                return lock
            lock.close()  # another has taken it away, with what it failed to make
        except BlockingIOError:
            lock.close()
            if time.monotonic() > until:
                raise LockedStoreError(
                    f"Another run is writing to {path.parent}. Wait for it to end or stop it; "
                    "or collect into another OUT.") from None
            time.sleep(0.1)


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
    patience : float
        Seconds to wait for another writer to go away.

    Raises
    ------
    LockedStoreError
        Where another run holds the store. A killed run holds nothing.
    ChangedSettingsError
        Where the store was collected under other settings; nothing is written then.
    UnreadableStoreError
        Where the store is damaged or of a later version.
    """

    form: ClassVar[Form]
    folder: Path
    settings: Mapping[str, object]
    provenance: Mapping[str, object]
    patience: float = PATIENCE
    _ids: dict[tuple[str, str], int] = field(default_factory=dict, init=False, repr=False)

    def __enter__(self) -> "Writer":
        there = self.folder.exists()
        with ExitStack() as opened:
            opened.enter_context(interrupted_by_sigterm())
            opened.enter_context(held(self.folder / self.form.lock, self.patience))
            opened.push(partial(self._leave, there, (self.folder / self.form.file).exists()))
            opened.enter_context(damage_named(
                self.folder / self.form.file, self.form.things, reading=False))
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

    def _leave(self, folder: bool, file: bool, kind: type | None, *_: object) -> None:
        """Be told, while the lock is held, what was there before and what ended the run, if any."""

    def _begin(self) -> None:
        """Make the tables where they are absent; record the settings and this run."""
        # With a write-ahead log, others may read while something is written.
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(
            f"BEGIN; PRAGMA user_version = {self.form.version}; {self.form.tables} COMMIT;")
        with self._db:
            self._db.execute("BEGIN")
            for table, columns in self.form.later.items():
                there = columns_of(self._db, table)
                for name in (name for name in columns if name not in there):
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {columns[name]}")
            seal_rows(self._db, self.form)
            self._db.executemany("INSERT OR IGNORE INTO settings VALUES (?, ?)", [
                (name, json.dumps(value)) for name, value in self.settings.items()])
            self._run = self._db.execute(
                "INSERT INTO runs (started, provenance) VALUES (?, ?)",
                (now(), json.dumps(dict(self.provenance)))).lastrowid

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what is written in the context one transaction."""
        with self._db:
            self._db.execute("BEGIN")
            yield

    def add_all(self, results: Mapping) -> None:
        """Store results by their keys, each whole or not at all."""
        for key, result in results.items():
            self.add(key, result)

    def _id(self, table: str, label: str) -> int:
        """Return the row of a name or message, adding it where the table lacks it."""
        if (table, label) not in self._ids:
            column = "text" if table == "messages" else "name"
            find = f"SELECT id FROM {table} WHERE {column} = ?"
            if self._db.execute(find, (label,)).fetchone() is None:
                self._db.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (label,))
            self._ids[table, label] = self._db.execute(find, (label,)).fetchone()[0]
        return self._ids[table, label]


def check_unchanged(folder: Path, settings: Mapping[str, object],
                    form: Form = CURVES) -> None:
    """Raise `ChangedSettingsError`, naming every difference, if `folder` holds another collection.

    Writes nothing; a folder without a store suits any settings. Raises `UnreadableStoreError`
    where the store is damaged or of a later version.
    """
    if not is_begun(folder, form):
        return
    file = folder / form.file
    with damage_named(file, form.things), ExitStack() as opened:
        db = connect_to_read(file, opened)
        check_store(db, file, form)
        check_whole(db, file, form, bulk=True)
        stored = {name: json.loads(value) for name, value in db.execute("SELECT * FROM settings")}
    asked = json.loads(json.dumps(dict(settings)))
    changed = [f"{name} was {stored[name]!r} and is now {asked[name]!r}"
               for name in stored if name in asked and stored[name] != asked[name]]
    if changed:
        raise ChangedSettingsError(
            f"{folder} was collected under other settings: {'; '.join(changed)}. "
            "Set them back, or collect into another OUT.")


def now() -> str:
    """Return the time in UTC, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")
