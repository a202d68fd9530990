"""Merge stores of evaluations that several machines made into one, with where each came from."""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from collection.store.connection import check_rows, is_begun, known_column, read_store
from collection.store.evaluation_schema import (
    EVALUATIONS,
    FOLDER,
    RESULT,
    TASK_COLUMNS,
    PredictionFile,
    prediction_path,
)
from collection.store.evaluation_writer import FIXED, EvaluationKey, EvaluationWriter

SHOWN = 20  # conflicts that a message names
TIMES = tuple(name for name in RESULT if "_time" in name)


class MergeConflictError(ValueError):
    """Stores that contradict each other; the message names every contradiction."""


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes
    ----------
    added, same : int
        Evaluations that were new, and those that were there already with the same result.
    """

    added: int
    same: int


@dataclass(frozen=True)
class _Source:
    """A store that is read: its folder, its connection."""

    folder: Path
    db: sqlite3.Connection

    @cached_property
    def settings(self) -> dict[str, object]:
        return {n: json.loads(v) for n, v in self.db.execute("SELECT name, value FROM settings")}

    def tasks(self) -> dict[str, dict[str, object]]:
        rows = self.db.execute(f"SELECT {', '.join(TASK_COLUMNS)} FROM tasks ORDER BY id")
        return {row[0]: dict(zip(TASK_COLUMNS, row, strict=True)) for row in rows}

    def learners(self) -> dict[str, dict[str, object]]:
        """Return the family and the hyperparameters of every learner."""
        return {name: {"family": family, **json.loads(text)} for name, family, text in
                self.db.execute("SELECT name, family, hyperparameters FROM learners")}

    def evaluations(self) -> Iterator[tuple[EvaluationKey, dict[str, object]]]:
        """Yield every evaluation: the columns of its result, and how it came about."""
        columns = [f"e.{name}" for name in RESULT if name != "message"]
        names = [name for name in RESULT if name != "message"]
        more = ("message", "id", "run", "seconds", "worker", "finished")
        rows = self.db.execute(
            f"SELECT t.name, l.name, repeat, fold, {', '.join(columns)}, m.text, e.id, run, "
            "seconds, worker, finished FROM evaluations e JOIN tasks t ON t.id = e.task "
            "JOIN learners l ON l.id = e.learner JOIN messages m ON m.id = e.message ORDER BY e.id")
        for row in rows:
            yield EvaluationKey(*row[:4]), dict(zip((*names, *more), row[4:], strict=True))

    def predictions(self, key: EvaluationKey, evaluation: int) -> dict[str, tuple]:
        """Return an evaluation's predictions by split: kind and values."""
        rows = self.db.execute(
            "SELECT a.split, a.dtype, a.rows, a.classes, p.position, p.kind, "
            f"{known_column(self.db, 'predictions', 'p', 'checksum')} FROM predictions p "
            "JOIN arrays a ON a.id = p.array JOIN tasks t ON t.id = a.task "
            "WHERE t.name = ? AND a.repeat = ? AND a.fold = ? AND p.evaluation = ?",
            (key.task, key.repeat, key.fold, evaluation)).fetchall()
        found = {}
        for split, dtype, n_rows, classes, position, kind, checksum in rows:
            path = prediction_path(self.folder, key.task, key.repeat, key.fold, split)
            file = PredictionFile(path, dtype, n_rows, classes)
            values = file.read(np.array([position]), [checksum])
            found[split] = (kind, values[0])
        return found


def merge(sources: Sequence[str | Path], target: str | Path) -> Merged:
    """Add the evaluations of stores to another, which may be new; nothing where they conflict.

    Runs keep their provenance. An evaluation that is there twice with the same result counts
    once, whatever its times.

    Parameters
    ----------
    sources : sequence of str or Path
        Folders that ``make evaluate`` wrote.
    target : str or Path
        Folder of the merged store.

    Raises
    ------
    MergeConflictError
        Where settings differ, a name stands for different tasks or for learners with other
        hyperparameters, or an evaluation has different results; every conflict is named.
    ValueError
        Where the target is among the sources.
    NoStoreError, UnreadableStoreError, LockedStoreError
        Where a store cannot be read, or the target is being written to.
    """
    if Path(target).resolve() in {Path(source).resolve() for source in sources}:
        raise ValueError(f"{target} cannot be merged into itself; leave it out of what is added.")
    with ExitStack() as opened:
        stores = [opened.enter_context(_checked(Path(source))) for source in sources]
        target = Path(target)
        there = []
        if is_begun(target, EVALUATIONS):
            there = [opened.enter_context(_checked(target))]
        wanted = _check([*there, *stores], len(there))
        known = {key for store in there for key, _ in store.evaluations()}
    with ExitStack() as opened:  # anew: the target is written now, and read no more
        stores = [_Source(Path(s), opened.enter_context(read_store(s, EVALUATIONS)))
                  for s in sources]
        writer = opened.enter_context(_Merger(target, stores[0].settings,
                                              {"merged": [Path(s).name for s in sources]}))
        if writer.finished() == known:
            with writer.transaction():
                added = sum(map(writer.take, stores, wanted))
            same = sum(store.db.execute("SELECT count(*) FROM evaluations").fetchone()[0]
                       for store in stores) - added
            return Merged(added, same)
    return merge(sources, target)  # another run has added to it meanwhile


@contextmanager
def _checked(folder: Path) -> Iterator[_Source]:
    """Open a store, all of whose evaluations are what was written."""
    with read_store(folder, EVALUATIONS) as db:
        check_rows(db, "predictions")
        yield _Source(folder, db)


def _check(stores: Sequence[_Source], before: int) -> list[set[EvaluationKey]]:
    """Return what to take of every store after the first `before`; raise where they conflict."""
    conflicts = [*settings_conflicts(stores), *_task_conflicts(stores),
                 *_learner_conflicts(stores)]
    wanted = []
    seen: dict[EvaluationKey, tuple[_Source, dict]] = {}
    for store in stores:
        new = set()
        for key, values in store.evaluations():
            if key not in seen:
                seen[key] = store, values
                new.add(key)
            elif differing := _differ(key, seen[key], (store, values)):
                conflicts.append(f"{key.task}, {key.learner}, repeat {key.repeat}, fold {key.fold}:"
                                 f" {differing} differ(s) between {seen[key][0].folder} and "
                                 f"{store.folder}")
        wanted.append(new)
    refuse(conflicts)
    return wanted[before:]


def refuse(conflicts: Sequence[str]) -> None:
    """Raise `MergeConflictError` where there are conflicts, naming `SHOWN` of them."""
    if conflicts:
        more = f"\n… and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
        raise MergeConflictError(f"{len(conflicts)} conflict(s); nothing was merged:\n"
                                 + "\n".join(conflicts[:SHOWN]) + more)


def settings_conflicts(stores: Sequence) -> Iterator[str]:
    """Yield what differs between the `settings` of the first store and the others'."""
    first = stores[0]
    for store in stores[1:]:
        for name, value in store.settings.items():
            if first.settings.get(name, value) != value:
                yield (f"{name} is {first.settings[name]!r} in {first.folder} and {value!r} in "
                       f"{store.folder}")


def _task_conflicts(stores: Sequence[_Source]) -> Iterator[str]:
    seen: dict[str, tuple[_Source, dict]] = {}
    for store in stores:
        for name, task in store.tasks().items():
            other, known = seen.setdefault(name, (store, task))
            if changed := [column for column in FIXED if known[column] != task[column]]:
                yield (f"the task {name} has another {' and '.join(changed)} in {other.folder} "
                       f"than in {store.folder}")


def _learner_conflicts(stores: Sequence[_Source]) -> Iterator[str]:
    seen: dict[str, tuple[_Source, dict]] = {}
    for store in stores:
        for name, learner in store.learners().items():
            other, known = seen.setdefault(name, (store, learner))
            for what in sorted(key for key in {**known, **learner}
                               if known.get(key) != learner.get(key)):
                yield (f"the learner {name} has {what} = {known.get(what, 'its default')!r} in "
                       f"{other.folder} and {learner.get(what, 'its default')!r} in "
                       f"{store.folder}")


def _differ(key: EvaluationKey, one: tuple[_Source, dict], other: tuple[_Source, dict]) -> str:
    """Name what differs between two results of one evaluation, but for times; empty: nothing."""
    (a, first), (b, second) = one, other
    names = [name for name in RESULT if name not in TIMES and first[name] != second[name]]
    if names:
        return ", ".join(names)
    had, has = a.predictions(key, first["id"]), b.predictions(key, second["id"])
    alike = had.keys() == has.keys() and all(
        had[s][0] == has[s][0] and np.array_equal(had[s][1], has[s][1], equal_nan=True)
        for s in had)
    return "" if alike else "predictions"


class _Merger(EvaluationWriter):
    """A writer that takes evaluations over from another store."""

    def _leave(self, folder: bool, file: bool, kind: type | None, *_: object) -> None:
        """Take away what a merge that fails has made of a store that was not there before."""
        if kind is None or file:
            return
        for path in (*self.folder.glob(f"{EVALUATIONS.file}*"), self.folder / EVALUATIONS.lock):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.folder / FOLDER, ignore_errors=True)
        if not folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def take(self, store: _Source, keys: set[EvaluationKey]) -> int:
        """Add evaluations of a store, within a transaction; return how many."""
        self._take_facts(store)
        runs = self._take_runs(store)
        for key, values in store.evaluations():
            if key in keys:
                result = {name: values[name] for name in RESULT}
                row = self._insert(key, result, values["seconds"], values["worker"],
                                   values["finished"], runs[values["run"]])
                for split, (kind, block) in store.predictions(key, values["id"]).items():
                    self.write_predictions(key, row, split, kind, block)
        return len(keys)

    def _take_facts(self, store: _Source) -> None:
        """Register the tasks and learners, the labels, and which rows predictions are of."""
        for row in store.tasks().values():
            self.add_task(row)
        for name, family, hyperparameters in store.db.execute(
                "SELECT name, family, hyperparameters FROM learners ORDER BY id"):
            self.add_learner(name, family, json.loads(hyperparameters))
        for task, archive in store.db.execute(
                "SELECT t.name, archive FROM labels JOIN tasks t ON t.id = task"):
            self._db.execute("INSERT OR IGNORE INTO labels VALUES (?, ?)",
                             (self._id("tasks", task), archive))
        for task, *row in store.db.execute(
                "SELECT t.name, repeat, fold, split, dtype, a.rows, a.classes, row_numbers "
                "FROM arrays a JOIN tasks t ON t.id = a.task ORDER BY a.id"):
            self._db.execute(
                "INSERT OR IGNORE INTO arrays (task, repeat, fold, split, dtype, rows, classes, "
                "row_numbers, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
                (self._id("tasks", task), *row))

    def _take_runs(self, store: _Source) -> Mapping[int, int]:
        """Copy the runs of a store; return their new numbers by the old ones."""
        return {run: self._db.execute("INSERT INTO runs (started, provenance) VALUES (?, ?)",
                                      (started, provenance)).lastrowid
                for run, started, provenance in store.db.execute(
                    "SELECT id, started, provenance FROM runs")}
