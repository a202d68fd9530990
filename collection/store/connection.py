"""What a store of one kind of work looks like, how it is opened, and what may be wrong with it."""

import json
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from zipfile import BadZipFile
from zlib import crc32

import pandas as pd


@dataclass(frozen=True)
class StoreFormat:
    """A kind of store.

    Attributes
    ----------
    file, lock : str
        Names in the folder.
    version : int
        Of the tables: to be raised when what is stored changes its meaning, or may be what
        readers of before do not know (a new status), not for a new column. SQLite's
        ``user_version`` has it; 0 stands for 1.
    tables : str
        SQL that makes the tables where they are absent.
    things : str
        What it holds: the table that has a row for each.
    key : type
        A dataclass of what such a row is of; its first field names the table of subjects (task,
        dataset) and its second is the learner.
    fixed, refreshed : tuple of str
        Columns of a subject that may not change under its name, and those that may be put right.
    how : str
        How to get one.
    facts, bulk : tuple of str
        Tables whose rows are sealed: those looked at whenever the store is opened as a whole, and
        those of which only rows that are read are looked at.
    folders : tuple of str
        Beside the file, what belongs to it.
    assumed : mapping of str to JSON values
        Settings of stores of earlier times, which do not state them.
    """

    file: str
    lock: str
    version: int
    tables: str
    things: str
    key: type
    fixed: tuple[str, ...]
    refreshed: tuple[str, ...]
    how: str
    facts: tuple[str, ...] = ()
    bulk: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    assumed: Mapping[str, object] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """What a key's first field names: ``dataset``, ``task``."""
        return fields(self.key)[0].name

    @property
    def labels(self) -> str:
        """What a key is made of, for SQL; from `rows`."""
        return ", ".join(("s.name", "l.name", *(each.name for each in fields(self.key)[2:])))

    @property
    def rows(self) -> str:
        """Table `things` as ``r``, with its subjects as ``s`` and learners as ``l``, for SQL."""
        return (f"FROM {self.things} r JOIN {self.subject}s s ON s.id = r.{self.subject} "
                "JOIN learners l ON l.id = r.learner")

    def settings(self, db: sqlite3.Connection) -> dict[str, object]:
        """Return what all that a file holds was made under."""
        stated = {name: json.loads(value) for name, value in db.execute("SELECT * FROM settings")}
        return {**stated, **self.assumed, **stated}  # what is stated, and first

    def finished(self, db: sqlite3.Connection) -> set:
        """Return the keys of what a file holds."""
        return {self.key(*row) for row in db.execute(f"SELECT {self.labels} {self.rows}")}

    def mean_seconds(self, db: sqlite3.Connection) -> dict[tuple[str, str], float]:
        """Return the mean seconds that it took, by names of subject and learner."""
        return {(subject, learner): seconds for subject, learner, seconds in db.execute(
            f"SELECT s.name, l.name, avg(seconds) {self.rows} GROUP BY s.id, l.id")}


# What every kind of store has.
SHARED_TABLES = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, started TEXT NOT NULL,
    provenance TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS seals (sealed TEXT NOT NULL, row TEXT NOT NULL, seal INTEGER NOT NULL,
    PRIMARY KEY (sealed, row)) WITHOUT ROWID;
INSERT OR IGNORE INTO messages VALUES (0, '');
"""
SCHEMA = "sqlite_master"
SHARED_FACTS = ("settings", "runs", "messages")

# SQLITE_ERROR: our statements are right, so a table or a text that they are of is not.
DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, None)
NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
NOT_WRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


class NoRoomError(OSError):
    """The disk is full, or the file may not grow; the message names the file."""


class NoStoreError(FileNotFoundError):
    """The folder holds no store."""


class UnreadableStoreError(ValueError):
    """A store's file that is damaged, no store at all, or of a later version; the message says."""


class AlteredError(ValueError):
    """A record that is not what was written, by its checksum; `damage_named` names the file."""


# What a damaged record raises, or an archive or a text in it.
BROKEN = (BadZipFile, NotImplementedError, UnicodeDecodeError, zlib.error)


@contextmanager
def damage_named(file: Path, things: str = "curves", reading: bool = True) -> Iterator[None]:
    """Raise `UnreadableStoreError` where `file` is found damaged, `NoRoomError` without room.

    While it is read alone, whatever is `BROKEN` is of the file.
    """
    try:
        yield
    except AlteredError as error:
        raise _damaged(file, error, things) from error
    except BROKEN as error:
        if not reading:
            raise
        raise _damaged(file, error, things) from error
    except (sqlite3.DatabaseError, pd.errors.DatabaseError) as error:
        if _code(error) in NO_ROOM:
            raise NoRoomError(f"{file} cannot be written: {error}. Make room on its disk and run "
                              "the same command again: what is stored stays.") from error
        if isinstance(error, sqlite3.ProgrammingError) or _code(error) not in DAMAGED:
            raise
        raise _damaged(file, error, things) from error


def checksum(*values: object) -> int:
    """Return the CRC-32 of values as SQLite has them; a NULL, as of a later column, is nothing."""
    found = 0
    for value in values:
        if value is not None:
            found = crc32(value if isinstance(value, bytes) else repr(value).encode(), found)
    return found


def seal_rows(db: sqlite3.Connection, form: StoreFormat) -> None:
    """Have this connection keep a checksum of every row that it adds or changes, and of the tables.

    Each is of the row's own transaction. A row of before has none.
    """
    _seal(db, SCHEMA)
    for table in (*form.facts, *form.bulk):
        key, values = _key_and_values(db, table, "NEW.")
        for number, event in enumerate(("INSERT", "UPDATE")):
            db.execute(f"CREATE TEMP TRIGGER seal_{table}_{number} AFTER {event} ON main.{table} "
                       f"BEGIN INSERT OR REPLACE INTO seals VALUES ('{table}', {key}, "
                       f"checksum({values})); END")


def seal_anew(db: sqlite3.Connection, form: StoreFormat) -> None:
    """Seal what is there, after rows were changed or taken away on purpose and not by a writer.

    A store of before stays without seals.
    """
    if table_info(db, "seals"):
        db.execute("DELETE FROM seals")
        for table in (SCHEMA, *form.facts, *form.bulk):
            _seal(db, table)


def _seal(db: sqlite3.Connection, table: str, again: bool = False) -> None:
    """Seal the rows of a table; or `again` those that were sealed and looked at."""
    db.create_function("checksum", -1, checksum, deterministic=True)
    key, values = _key_and_values(db, table)
    sealed = f" WHERE {key} IN (SELECT row FROM seals WHERE sealed = '{table}')" if again else ""
    db.execute(f"INSERT OR REPLACE INTO seals SELECT '{table}', {key}, checksum({values}) "
               f"FROM {table}{sealed}")


def check_rows(db: sqlite3.Connection, table: str, first: int | None = None) -> None:
    """See that the rows of a table are what was written.

    Parameters
    ----------
    db : sqlite3.Connection
    table : str
        Sealed; see `StoreFormat`.
    first : int, optional
        Only rows with this value of the first column of its key.

    Raises
    ------
    AlteredError
        Where one is not, or is not there any more.
    """
    if not table_info(db, "seals"):
        return  # a store of before
    db.create_function("checksum", -1, checksum, deterministic=True)
    key, values = _key_and_values(db, table)
    own, of_table, given = "", "", ()
    if first is not None:
        own = f" WHERE {key.partition(' ')[0]} = {int(first)}"
        of_table, given = " AND row BETWEEN ? AND ?", (f"{first}", f"{first} \x7f")
    seals = dict(db.execute(f"SELECT row, seal FROM seals WHERE sealed = ?{of_table}",
                            (table, *given)))
    ends = db.execute("SELECT min(id), max(id) FROM runs").fetchone()
    sealed = {row for (row,) in db.execute("SELECT row FROM seals WHERE sealed = 'runs'")}
    first_run, last_run = str(ends[0]) in sealed, ends[1] is None or str(ends[1]) in sealed
    if table == SCHEMA and not (seals and last_run):
        raise AlteredError("its checksums were taken out")  # each run seals its tables and itself
    for row, found in db.execute(f"SELECT {key}, checksum({values}) FROM main.{table}{own}"):
        seal = seals.pop(str(row), None)
        # A row of before a store had seals has none, nor has the empty message.
        if seal is None and first_run and (table, str(row)) != ("messages", "0"):
            raise AlteredError(f"the checksum of row {row} of its table {table} was taken out")
        if seal not in (None, found):
            raise AlteredError(f"row {row} of its table {table} is not what was written")
    if seals:
        raise AlteredError(f"row {min(seals)} of its table {table} is not there any more")


def _key_and_values(db: sqlite3.Connection, table: str, of: str = "") -> tuple[str, str]:
    """Return, for SQL, a row's key as text and all of its columns."""
    if table == SCHEMA:
        return "name", "sql"  # where it lies may change
    columns = table_info(db, table)
    key = [name for place, name in sorted((row[5], row[1]) for row in columns) if place]
    return " || ' ' || ".join(of + name for name in key), ", ".join(of + row[1] for row in columns)


WHOLE: set[tuple] = set()  # states of files that this process has found to be what was written


def check_whole(db: sqlite3.Connection, file: Path, form: StoreFormat, bulk: bool = False) -> None:
    """See that the file's structure and its sealed rows are what was written.

    Parameters
    ----------
    db : sqlite3.Connection
    file : Path
    form : StoreFormat
    bulk : bool
        Whether to look at rows of its `bulk` tables as well.

    Raises
    ------
    AlteredError
        Where they are not.
    """
    log = file.with_name(f"{file.name}-wal")
    state = (str(file.resolve()), bulk, *(
        (at.st_size, at.st_mtime_ns) for at in (f.stat() for f in (file, log) if f.exists())))
    if state in WHOLE:
        return
    said = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if said != "ok":
        raise AlteredError(" ".join(said.split()))
    for table in (SCHEMA, *form.facts, *(form.bulk if bulk else ())):
        check_rows(db, table)
    WHOLE.add(state)


def check_store(db: sqlite3.Connection, file: Path, form: StoreFormat) -> None:
    """Raise `UnreadableStoreError` where the file was cut short or is of a later version.

    So is one with a column that is not known here, unless its structure is not what was written.
    """
    if file.stat().st_size % db.execute("PRAGMA page_size").fetchone()[0]:
        # Which SQLite itself lets pass.
        raise _damaged(file, "its last page is not whole", form.things)
    version, later = db.execute("PRAGMA user_version").fetchone()[0], ""
    if version > form.version:
        later = f"its tables are of version {version}, those known here of version {form.version}"
    else:
        known = known_columns(form.tables)
        unknown = [f"the column {name} of its table {table}" for table, columns in known.items()
                   for name in (row[1] for row in table_info(db, table)) if name not in columns]
        if unknown or lacking_columns(db, form):
            check_rows(db, SCHEMA)
        if unknown:
            later = f"it has {', '.join(unknown)}, which is not known here"
    if later:
        raise UnreadableStoreError(
            f"{file} was written by a later version of this project ({later}). Update this "
            "checkout, or collect into another OUT.")


def add_lacking(db: sqlite3.Connection, form: StoreFormat) -> None:
    """Add the columns that a store of before lacks, within a transaction.

    Its sealed rows have been looked at: `check_whole`.
    """
    for table, columns in lacking_columns(db, form).items():
        for name, (kind, default) in columns.items():
            db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind} DEFAULT {default}")
        if table in (*form.facts, *form.bulk) and any(d != "NULL" for _, d in columns.values()):
            _seal(db, table, again=True)  # a default counts


def lacking_columns(db: sqlite3.Connection, form: StoreFormat
                    ) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the columns that a store of before lacks, by table and name: type and default."""
    lacking = {}
    for table, known in known_columns(form.tables).items():
        there = {row[1] for row in table_info(db, table)}
        if there and not known.keys() <= there:
            lacking[table] = {name: of for name, of in known.items() if name not in there}
    return lacking


@cache
def known_columns(tables: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the columns that SQL makes, by table and name: their type and default."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(tables)
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {table: {row[1]: (row[2], row[4] or "NULL") for row in table_info(db, table)}
                for (table,) in names}


def _damaged(file: Path, why: object, things: str) -> UnreadableStoreError:
    return UnreadableStoreError(
        f"{file} is damaged, cut short or no store of {things} ({why}). Put a copy of it back in "
        "its place, or remove it and collect again.")


@contextmanager
def connected(file: Path, things: str = "curves") -> Iterator[sqlite3.Connection]:
    """Connect to the file, or to a copy of it where its folder must not be written.

    To read what a killed run left in the log beside it, SQLite has to write. Damage that shows in
    the context is named, as `damage_named` does.
    """
    with damage_named(file, things), ExitStack() as opened:
        db = opened.enter_context(closing(sqlite3.connect(file)))
        try:
            db.execute("SELECT 1 FROM sqlite_master")
        except sqlite3.OperationalError as error:
            if _code(error) not in NOT_WRITABLE:
                raise
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            for name in (file.name, f"{file.name}-wal"):
                if (file.parent / name).is_file():
                    shutil.copyfile(file.parent / name, folder / name)
            db = opened.enter_context(closing(sqlite3.connect(folder / file.name)))
        yield db


def is_begun(folder: Path, form: StoreFormat) -> bool:
    """Tell whether a folder holds a store with its first transaction; a file alone is none."""
    file = folder / form.file
    if not file.is_file():
        return False
    check_own(file, form)
    with connected(file, form.things) as db:
        return bool(table_info(db, "settings"))


def check_own(file: Path, form: StoreFormat) -> None:
    """Raise `UnreadableStoreError` where a file holds tables, and not those of such a store."""
    if not file.is_file():
        return
    with connected(file, form.things) as db:
        tables = {name for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")}
    if tables and not {"settings", "runs", form.things, f"{form.subject}s"} <= tables:
        raise UnreadableStoreError(
            f"{file} is another program's database (with the table {min(tables)!r}), and nothing "
            f"is added to it. Move it away, or name another OUT for {form.things}.")


def table_info(db: sqlite3.Connection, table: str) -> list[tuple]:
    """Return what SQLite says of a table's columns as they lie in the file; empty without it."""
    return db.execute(f"PRAGMA main.table_info({table})").fetchall()


@contextmanager
def read_store(path: str | Path, form: StoreFormat,
               whole: bool = True) -> Iterator[sqlite3.Connection]:
    """Open a store to read: one snapshot, even while it is being added to.

    Parameters
    ----------
    path : str or Path
        The store's folder, or the SQLite file in it.
    form : StoreFormat
        The kind of store.
    whole : bool
        Whether to see first that it is what was written, but for its `bulk` tables; of one file
        once in a process.

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
    with connected(file, form.things) as db:
        check_store(db, file, form)
        if not table_info(db, "settings"):
            raise NoStoreError(f"{file} holds no {form.things}: what began it was stopped. Run it "
                               "again, or remove the file.")
        db.execute("BEGIN")
        if whole:
            check_whole(db, file, form)
        for table, columns in lacking_columns(db, form).items():  # of a store of before
            added = ", ".join(f"{default} AS {name}" for name, (_, default) in columns.items())
            db.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {added} FROM main.{table}")
        yield db


def see_whole(path: str | Path, form: StoreFormat) -> None:
    """See that what was not found is not missing because the store is damaged."""
    with read_store(path, form):
        pass


def _code(error: Exception) -> int | None:
    """Return SQLite's primary error code, also of an error that pandas raised for it."""
    of_sqlite = error if isinstance(error, sqlite3.Error) else error.__cause__
    code = getattr(of_sqlite, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
