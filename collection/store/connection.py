"""Open a store's file, and say in one message what is wrong with it."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pandas as pd

from collection.store.form import Form

DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
NOT_WRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


class NoStoreError(FileNotFoundError):
    """The folder holds no store."""


class UnreadableStoreError(ValueError):
    """A store's file that is damaged, no store at all, or of a later version; the message says."""


@contextmanager
def damage_named(file: Path, things: str = "curves") -> Iterator[None]:
    """Raise `UnreadableStoreError` where SQLite finds in the context that `file` is damaged."""
    try:
        yield
    except (sqlite3.DatabaseError, pd.errors.DatabaseError) as error:
        if _code(error) not in DAMAGED:
            raise
        raise _damaged(file, error, things) from error


def check_store(db: sqlite3.Connection, file: Path, form: Form) -> None:
    """Raise `UnreadableStoreError` where the file was cut short or is of a later version."""
    if file.stat().st_size % db.execute("PRAGMA page_size").fetchone()[0]:
        # Which SQLite itself lets pass.
        raise _damaged(file, "its last page is not whole", form.things)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > form.version:
        raise UnreadableStoreError(
            f"{file} was written by a later version of this project (its tables are of version "
            f"{version}, those known here of version {form.version}). Update this checkout, or "
            "collect into another OUT.")


def _damaged(file: Path, why: object, things: str) -> UnreadableStoreError:
    return UnreadableStoreError(
        f"{file} is damaged, cut short or no store of {things} ({why}). Put a copy of it back in "
        "its place, or remove it and collect again.")


def connect_to_read(file: Path, opened: ExitStack) -> sqlite3.Connection:
    """Connect to the file, or to a copy of it where its folder must not be written.

    To read what a killed run left in the log beside it, SQLite has to write.
    """
    db = opened.enter_context(closing(sqlite3.connect(file)))
    try:
        db.execute("SELECT 1 FROM sqlite_master")
        return db
    except sqlite3.OperationalError as error:
        if _code(error) not in NOT_WRITABLE:
            raise
    folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
    for name in (file.name, f"{file.name}-wal"):
        if (file.parent / name).is_file():
            shutil.copyfile(file.parent / name, folder / name)
    return opened.enter_context(closing(sqlite3.connect(folder / file.name)))


@contextmanager
def read_store(path: str | Path, form: Form) -> Iterator[sqlite3.Connection]:
    """Open a store to read: one snapshot, even while it is being added to.

    Parameters
    ----------
    path : str or Path
        The store's folder, or the SQLite file in it.
    form : Form
        The kind of store.

    Raises
    ------
    NoStoreError
        Where there is no store, or one without tables.
    UnreadableStoreError
        Where its file is damaged or of a later version, found now or while it is read.
    """
    file = Path(path)
    file = file / form.file if file.is_dir() or file.suffix != ".sqlite" else file
    if not file.is_file():
        raise NoStoreError(f"There is no {file}. Collect {form.things} into that folder first: "
                           f"{form.how} OUT={path}")
    with ExitStack() as opened, damage_named(file, form.things):
        db = connect_to_read(file, opened)
        check_store(db, file, form)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?",
                          (form.last_table,)).fetchone():
            raise NoStoreError(f"{file} holds no {form.things}.")
        db.execute("BEGIN")
        yield db


def _code(error: Exception) -> int | None:
    """Return SQLite's primary error code, also of an error that pandas raised for it."""
    of_sqlite = error if isinstance(error, sqlite3.Error) else error.__cause__
    code = getattr(of_sqlite, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
