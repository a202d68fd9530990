"""Merge stores that several machines made into one, with where each part came from.

Stores of curves, of one file or in shards, or stores of evaluations: dataset by dataset, task by
task, so that no more than the rows of one are held.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from collection.store import connection, read_keys, read_settings, shards
from collection.store.base import Writer
from collection.store.connection import StoreFormat
from collection.store.curves import CURVES, FILE, stored_curves
from collection.store.evaluations import EVALUATIONS, EvaluationWriter, stored_evaluations

SHOWN = 20  # conflicts that a message names
DEFAULT = "its default"


class MergeConflictError(ValueError):
    """Stores that contradict each other; the message names every contradiction."""


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes
    ----------
    things : {"curves", "evaluations"}
    added, same : int
        Those that were new, and those that were there already with the same result.
    """

    things: str
    added: int
    same: int


@dataclass(frozen=True)
class _Source:
    """A store that is read: its folder, the kind of rows that it has."""

    folder: Path
    rows: StoreFormat  # CURVES, of shards as well, or EVALUATIONS

    @cached_property
    def form(self) -> StoreFormat:
        return shards.form_of(self.folder) if self.rows is CURVES else self.rows

    @cached_property
    def settings(self) -> dict[str, object]:
        return read_settings(self.folder, self.form)

    @cached_property
    def subjects(self) -> dict[str, dict[str, Any]]:
        """The table of datasets, or of tasks, by name."""
        with connection.read_store(self.folder, self.form) as db:
            return _by_name(db, f"{self.form.subject}s")

    @cached_property
    def learners(self) -> dict[str, dict[str, Any]]:
        """The hyperparameters and the family of every learner, where a store has them."""
        with connection.read_store(self.folder, self.form) as db:
            rows = _by_name(db, "learners")

        def read(told: str) -> dict[str, Any]:  # to twelve digits, on which processors agree
            return json.loads(told, parse_float=lambda number: float(f"{float(number):.12g}"))

        return {name: {"family": row.get("family"), **read(row.get("hyperparameters", "{}"))}
                for name, row in rows.items()}

    @cached_property
    def parts(self) -> dict[str, Path]:
        """Where the rows of each subject lie."""
        sharded = self.form is shards.SHARDS
        return (shards.shard_folders(self.folder) if sharded
                else dict.fromkeys(self.subjects, self.folder))

    @contextmanager
    def opened(self, part: Path) -> Iterator[sqlite3.Connection]:
        """Open a part, every row of which is what was written."""
        with connection.read_store(part, self.rows) as db:
            connection.check_whole(db, part / self.rows.file, self.rows, bulk=True)
            yield db

    def fits(self) -> int:
        """Return how many curves have, which tells whether to shard them."""
        def count(part: Path) -> int:
            with connection.read_store(part, CURVES, whole=False) as db:
                return db.execute("SELECT count(*) FROM fits").fetchone()[0]
        return sum(map(count, set(self.parts.values()))) if self.rows is CURVES else 0

    def stored(self, db: sqlite3.Connection, subject: str) -> Iterator[Any]:
        """Yield a subject's curves, or its evaluations."""
        return (stored_curves(db, subject) if self.rows is CURVES
                else stored_evaluations(db, self.folder, subject))


def merge(sources: Sequence[str | Path], target: str | Path) -> Merged:
    """Add what stores hold to another, which may be new; nothing where they conflict.

    Runs keep their provenance. What is there twice with the same result counts once, whatever its
    times; the first stays, also where another has a metric that it was stored without. A merge into
    shards that is stopped goes on when it is asked for again; any other leaves a target as it was.

    Parameters
    ----------
    sources : sequence of str or Path
        Folders that ``make collect`` wrote, of one file or in shards, or ``make evaluate``.
    target : str or Path
        Folder of the merged store. A new one of curves is in shards where one of the sources is,
        or where they have more than `SHARDED_FROM` fits.

    Raises
    ------
    MergeConflictError
        Where settings differ, a name stands for different data, for different tasks or for
        learners with other hyperparameters, or results differ; every conflict is named.
    ValueError
        Where the target is among the sources.
    NoStoreError, UnreadableStoreError, LockedStoreError
        Where a store cannot be read, or the target is being written to.
    """
    target, folders = Path(target), [Path(source) for source in sources]
    if target.resolve() in {folder.resolve() for folder in folders}:
        raise ValueError(f"{target} cannot be merged into itself; leave it out of what is added.")
    rows = CURVES if any((folder / FILE).is_file() for folder in folders) else EVALUATIONS
    stores = [_Source(folder, rows) for folder in folders]
    there = [_Source(target, rows)] if connection.is_begun(target, rows) else []
    _refuse([*_conflicts([*there, *stores])])
    known = read_keys(target, rows) if there else set()
    names = dict.fromkeys(name for store in stores for name in store.subjects)
    with _writer(target, stores) as writer:
        if writer.finished() == known:
            sharded = isinstance(writer, shards.ShardedWriter)
            with nullcontext() if sharded else writer.transaction():
                runs: dict[tuple, int] = {}
                counts = [_take(writer, store, name, runs) for name in names
                          for store in stores if name in store.subjects]
            added = sum(new for new, _ in counts)
            return Merged(rows.things, added, sum(count for _, count in counts) - added)
    return merge(sources, target)  # another run has added to it meanwhile


def _writer(target: Path, stores: Sequence[_Source]) -> Writer:
    """Return the writer of the merged store."""
    given = (target, stores[0].settings, {"merged": [store.folder.name for store in stores]})
    if stores[0].rows is EVALUATIONS:
        return EvaluationWriter(*given, undone=True)
    fits = sum(store.fits() for store in stores)
    if any(store.form is shards.SHARDS for store in stores):
        fits = max(fits, shards.SHARDED_FROM + 1)
    return shards.open_writer(*given, fits)


def _by_name(db: sqlite3.Connection, table: str) -> dict[str, dict[str, Any]]:
    """Return a table's rows by name, without their numbers."""
    found = db.execute(f"SELECT * FROM {table} ORDER BY id")
    names = [column[0] for column in found.description]
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return {row["name"]: {n: v for n, v in row.items() if n != "id"} for row in rows}


def _conflicts(stores: Sequence[_Source]) -> Iterator[str]:
    """Yield what contradicts between stores."""
    first = stores[0]
    for store in stores[1:]:
        for name, value in store.settings.items():
            if first.settings.get(name, value) != value:
                yield (f"{name} is {first.settings[name]!r} in {first.folder} and {value!r} in "
                       f"{store.folder}")
    seen: dict[str, tuple[_Source, dict]] = {}
    for store in stores:
        for name, learner in store.learners.items():
            other, known = seen.setdefault(name, (store, learner))
            for what in sorted(key for key in {**known, **learner}
                               if known.get(key) != learner.get(key)):
                yield (f"the learner {name} has {what} = {known.get(what, DEFAULT)!r} in "
                       f"{other.folder} and {learner.get(what, DEFAULT)!r} in {store.folder}")
    for name in dict.fromkeys(name for store in stores for name in store.subjects):
        yield from _subject_conflicts(name, [s for s in stores if name in s.subjects])


def _subject_conflicts(name: str, stores: Sequence[_Source]) -> Iterator[str]:
    """Yield what contradicts on a dataset or task; one that a single store has is not read.

    What it has is looked at when it is added, a whole shard when the merged store is opened.
    """
    first, seen = stores[0], {}
    for store in stores[1:]:
        if changed := [column for column in store.form.fixed
                       if first.subjects[name][column] != store.subjects[name][column]]:
            yield (f"the {store.form.subject} {name} has another {' and '.join(changed)} in "
                   f"{first.folder} than in {store.folder}")
            return
    for store in stores if len(stores) > 1 else ():
        with store.opened(store.parts[name]) as db:
            lacking = connection.lacking_columns(db, store.rows)
            absent = {column for columns in lacking.values() for column in columns}
            for row in store.stored(db, name):
                own = {what: value for what, value in row.results.items() if what not in absent}
                whose, results = seen.setdefault(row.key, (store.folder, own))
                if differing := [what for what in results
                                 if what in own and results[what] != own[what]]:
                    yield (f"{_said(row.key)}: {', '.join(differing)} differ(s) between {whose} "
                           f"and {store.folder}")


def _said(key: Any) -> str:
    (_, subject), (_, learner), *more = vars(key).items()
    return ", ".join([subject, learner, *(f"{name} {value}" for name, value in more)])


def _refuse(conflicts: Sequence[str]) -> None:
    """Raise `MergeConflictError` where there are conflicts, naming `SHOWN` of them."""
    if conflicts:
        more = f"\n… and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
        raise MergeConflictError(f"{len(conflicts)} conflict(s); nothing was merged:\n"
                                 + "\n".join(conflicts[:SHOWN]) + more)


def _take(writer: Writer, store: _Source, name: str, runs: dict) -> tuple[int, int]:
    """Add what a store has of a subject; return how much was new, and how much there is."""
    if not isinstance(writer, shards.ShardedWriter):
        return _add(writer, store, name, runs)
    writer.add_subject(store.subjects[name])
    shard = writer.shard(name)
    with shard.transaction():
        return _add(shard, store, name, runs)


def _add(writer: Any, store: _Source, name: str, runs: dict) -> tuple[int, int]:
    """Add to one file, within a transaction; `runs`: the numbers that runs have there."""
    finished, part, new, count = writer.finished(), store.parts[name], 0, 0
    with store.opened(part) as db:
        with _written(writer):
            writer.take_subject(db, store.subjects[name])
        for row in store.stored(db, name):
            count += 1
            if row.key not in finished:
                new += 1
                whose = writer.folder, part, row.run
                with _written(writer):
                    if whose not in runs:
                        runs[whose] = writer.take_run(*db.execute(
                            "SELECT started, provenance FROM runs WHERE id = ?",
                            (row.run,)).fetchone())
                    writer.take(row, runs[whose], db)
    return new, count


def _written(writer: Writer) -> AbstractContextManager:
    """Name the file that is written where it cannot be, and not the one that is read."""
    file = writer.folder / writer.form.file
    return connection.damage_named(file, writer.form.things, reading=False)
