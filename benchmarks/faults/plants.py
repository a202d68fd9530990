"""Bugs that the campaign must catch: planted where a command, its kernel and its workers run."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

PLANT = "FAULTS_PLANT"  # the environment variable that carries the plant's name to all processes


def row_dropped() -> None:
    """Never evaluate KNN on fold 1."""
    from collection.running import evaluation_plan as plan

    jobs = plan._jobs
    plan._jobs = lambda *of: ((key, job) for key, job in jobs(*of)
                              if (key.learner, key.fold) != ("KNN", 1))


def commit_skipped() -> None:
    """Take every third evaluation for stored that is not."""
    from collection.store.evaluations import EvaluationWriter

    add, seen = EvaluationWriter._add, []

    def skip(self, key, result):
        seen.append(key)
        if len(seen) % 3:
            add(self, key, result)
    EvaluationWriter._add = skip


def flip_served() -> None:
    """Look at no checksum."""
    from collection.store import connection, evaluation_reader, evaluations

    for module in (connection, evaluation_reader):
        module.check_rows = lambda *_: None
    connection.check_whole.__code__ = (lambda db, file, form, bulk=False: None).__code__
    evaluations.PredictionFile._check = lambda *_: None


def out_wiped() -> None:
    """Empty OUT when a command starts."""
    from collection.running import evaluation_settings as settings

    check = settings.check_settings

    def wipe(values):
        found = check(values)
        if "JPY_PARENT_PID" not in os.environ:
            shutil.rmtree(found.out, ignore_errors=True)
        return found
    settings.check_settings = wipe


def fitted_again() -> None:
    """Fit what is stored once more when a run is resumed, and put it in its place."""
    from collection.store.evaluations import EvaluationWriter

    insert = EvaluationWriter._insert

    def replace(self, key, *result):
        self._db.execute(
            "DELETE FROM evaluations WHERE task = ? AND learner = ? AND repeat = ? AND fold = ?",
            (self._id("tasks", key.task), self._id("learners", key.learner), key.repeat, key.fold))
        return insert(self, key, *result)
    EvaluationWriter._insert, EvaluationWriter.finished = replace, lambda self: set()


def damage_called_nothing() -> None:
    """Say of a damaged store that there is none."""
    from collection.store import connection

    connection._damaged = lambda file, why, things: connection.NoStoreError(f"no {things}: {file}")


def input_removed() -> None:
    """Take every file of a result's name for a run's own."""
    from collection.project import results_folder as here

    here.check_results.__code__ = (lambda out, names, *inputs: None).__code__
    here.own_files.__code__ = (lambda folder: {p.name for p in folder.iterdir()}).__code__


def mode_changed() -> None:
    """Exchange folders as they are made."""
    from collection.project import results_folder as here

    here._alike = lambda one, other: True
    here.shutil = SimpleNamespace(**{**vars(shutil), "copystat": lambda *_: None})


def line_skipped() -> None:
    """Read no last line."""
    from collection.project import opening

    whole = opening._Blocks.readall
    opening._Blocks.readall = lambda self: b"".join(whole(self).splitlines(keepends=True)[:-1])


def swapped(one: str, other: str) -> None:
    """Exchange two columns of each evaluation that is merged."""
    from collection.store.evaluations import EvaluationWriter

    take = EvaluationWriter.take

    def swap(self, stored, run, db):
        values = {**stored.values, one: stored.values[other], other: stored.values[one]}
        take(self, replace(stored, values=values), run, db)
    if take.__name__ != swap.__name__:  # planted twice it would be none
        EvaluationWriter.take = swap


def files_opened() -> None:
    """Let everybody write to the files of others that lie in OUT."""
    from collection.project import results_folder as here

    link = here._link

    def opened(there, stage, but=()):
        link(there, stage, but)
        for path in stage.iterdir():
            if path.is_file() and not path.name.startswith("."):
                path.chmod(0o666)
    here._link = opened


PLANTS: dict[str, Callable[[], None]] = {
    "row dropped": row_dropped, "commit skipped": commit_skipped, "flip served": flip_served,
    "OUT wiped": out_wiped, "fitted again": fitted_again,
    "damage called nothing": damage_called_nothing, "input removed": input_removed,
    "mode changed": mode_changed, "line skipped": line_skipped,
    "metrics swapped": lambda: swapped("log_loss_valid", "log_loss_test"),
    "times swapped": lambda: swapped("train_time", "predict_time_test"),
    "files opened": files_opened}


def plant() -> None:
    """Plant what the environment names, if it names anything."""
    if os.environ.get(PLANT):
        PLANTS[os.environ[PLANT]]()
