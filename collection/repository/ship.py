"""Write the shipped files: whole tasks of a store, without what tells of the machine."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from collection.store.evaluation_schema import EVALUATIONS
from collection.store.prediction_files import FOLDER, prediction_path

# What belongs to a task, in an order in which it can be deleted.
OF_TASK = ("DELETE FROM predictions WHERE evaluation IN (SELECT id FROM evaluations WHERE {of})",
           "DELETE FROM evaluations WHERE {of}", "DELETE FROM arrays WHERE {of}",
           "DELETE FROM labels WHERE {of}", "DELETE FROM tasks WHERE id {unnamed}")


class NothingToShipError(RuntimeError):
    """A store without one whole task."""


def ship(store: Path, to: Path) -> list[str]:
    """Write the whole tasks of a store to a folder, in place of what is there.

    Parameters
    ----------
    store : Path
        Folder that ``make evaluations`` gathers in.
    to : Path
        Appears whole or not at all.

    Returns
    -------
    list of str
        Names of the tasks that are left out, as not all learners have been evaluated on all folds.

    Raises
    ------
    NothingToShipError
        Where no task is whole.
    """
    part = to.with_name(to.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    with closing(sqlite3.connect(store / EVALUATIONS.file)) as db:
        db.execute("VACUUM INTO ?", (str(part / EVALUATIONS.file),))
    with closing(sqlite3.connect(part / EVALUATIONS.file)) as db:
        whole, partial = _tasks(db)
        if not whole:
            shutil.rmtree(part)
            raise NothingToShipError(f"{store} holds no task with all its evaluations: run make "
                                     "evaluations until one is.")
        with db:
            _keep_only(db, whole)
            _forget_machine(db)
        files = [prediction_path(Path(), *row) for row in db.execute(
            "SELECT t.name, repeat, fold, split FROM arrays JOIN tasks t ON t.id = task")]
        db.execute("VACUUM")
    for file in files:
        (part / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(store / file, part / file)
    _replace(to, part)
    return partial


def _tasks(db: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Return the tasks that all learners have been evaluated on in all folds, and the others."""
    learners = db.execute("SELECT count(*) FROM learners").fetchone()[0]
    found: tuple[list[str], list[str]] = ([], [])
    for name, evaluations, folds in db.execute(
            "SELECT t.name, (SELECT count(*) FROM evaluations e WHERE e.task = t.id), "
            "(SELECT count(DISTINCT repeat || '-' || fold) FROM arrays a WHERE a.task = t.id) "
            "FROM tasks t ORDER BY t.id"):
        found[evaluations < learners * folds or not folds].append(name)
    return found


def _keep_only(db: sqlite3.Connection, tasks: Sequence[str]) -> None:
    unnamed = f"NOT IN ({', '.join('?' * len(tasks))})"
    of = f"task IN (SELECT id FROM tasks WHERE name {unnamed})"
    for statement in OF_TASK:
        db.execute(statement.format(of=of, unnamed="IN (SELECT id FROM tasks WHERE name "
                                    f"{unnamed})"), tuple(tasks))


def _forget_machine(db: sqlite3.Connection) -> None:
    """Take out which machine and process made an evaluation; versions stay."""
    db.execute("UPDATE evaluations SET worker = ''")
    for row, text in db.execute("SELECT id, provenance FROM runs").fetchall():
        kept = {name: told for name, told in json.loads(text).items() if name != "host"}
        db.execute("UPDATE runs SET provenance = ? WHERE id = ?", (json.dumps(kept), row))


def _replace(to: Path, part: Path) -> None:
    """Put the new files in place; texts that lie beside them stay."""
    for text in to.glob("*.md") if to.exists() else ():
        shutil.copyfile(text, part / text.name)
    shutil.rmtree(to, ignore_errors=True)
    part.replace(to)


def shipped_bytes(folder: Path) -> int:
    """Return the size of the shipped files."""
    files = [folder / EVALUATIONS.file, *(folder / FOLDER).rglob("*.dat")]
    return sum(file.stat().st_size for file in files)
