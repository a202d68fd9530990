"""Publish a suite on OpenML: its tasks and the list of them, each once.

What OpenML has accepted is entered into ``published.csv`` at once. The key is read from
``OPENML_APIKEY`` or OpenML's own configuration, and neither written nor shown.
"""

import csv
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import openml
import pandas as pd

from collection.containers.metrics import TASK_METRICS
from collection.datasets import load_dataset
from collection.datasets.openml_source import KINDS, MEANINGS, explained, staging
from collection.project.paths import unlinked
from collection.suites.specs import OPENML, OPENML_TASK
from collection.suites.suite import Suite, SuiteError
from collection.tasks import Task
from collection.tasks.procedures import HoldOut

LEDGER = "published.csv"
KEY = "OPENML_APIKEY"
HIDDEN = "(the key)"
CONNECTIONS = logging.getLogger("urllib3.connectionpool")  # would log addresses with the key


class PublishError(RuntimeError):
    """OpenML did not take what was sent; the message says why and what to do."""


def publish_suite(suite: Suite, folder: str | Path, dry_run: bool = True) -> list[str]:
    """Publish a suite itself: a task for each dataset of OpenML's, and the list of them.

    An OpenML task is target, way of splitting and metric; the server deals the rows anew. Tasks
    that are OpenML's already are linked as they are.

    Parameters
    ----------
    suite : Suite
    folder : path
        Where the ledger is; the same one goes on where it stopped.
    dry_run : bool
        Whether only to say what would be sent; no server is asked then.

    Returns
    -------
    list of str
        A line for each thing done or, in a dry run, to be done.

    Raises
    ------
    SuiteError
        Where a dataset is not OpenML's.
    PublishError
        Where there is no key, the server refuses or cannot be reached, or knows no such way of
        splitting.
    """
    ledger, tag = _Ledger(Path(folder) / LEDGER), f"{suite.name}-{suite.content_hash[:12]}"
    for task in suite.tasks:
        if not _number(task) and not task.dataset.removeprefix(OPENML).isdigit():
            raise SuiteError(f"{suite.label}: {task.dataset} is no dataset of OpenML, so there can "
                             "be no task on it there.")
    if dry_run:
        told = [f"linked: task {_number(task)}" if _number(task) else f"would publish: "
                f"{_about(task)}" for task in suite.tasks]
        return [*told, f"would publish: a suite of {len(suite.tasks)} tasks, called {tag}"]
    with _connected() as key:
        numbers = [_number(task) or _publish_task(task, ledger, key) for task in suite.tasks]
        if not ledger.get("suite", tag):
            with _told(f"the suite {tag}", key):
                sent = openml.study.create_benchmark_suite(
                    suite.label, suite.description or suite.label, numbers, alias=tag)
                sent.publish()
            ledger.enter("suite", tag, sent.study_id)
    return [*(f"task {number}" for number in numbers), f"suite {ledger.get('suite', tag)}"]


def _number(task: Task) -> int:
    """Return OpenML's number of a task, 0 where it is none of OpenML's."""
    source = getattr(task.procedure, "source", "")
    return int(source.removeprefix(OPENML_TASK)) if source.startswith(OPENML_TASK) else 0


def _splitting(task: Task) -> str:
    """Return what OpenML calls a way of splitting."""
    way = task.procedure
    if isinstance(way, HoldOut):
        return f"{100 * way.share:g}% Holdout set"
    times = f"{way.repeats} times " if way.repeats > 1 else ""
    return f"{times}{way.folds}-fold Crossvalidation"


def _about(task: Task) -> str:
    measure = TASK_METRICS[task.metric].openml if task.metric else ""
    return (f"a task on dataset {task.dataset.removeprefix(OPENML)}, target {task.target}, "
            f"{_splitting(task)}, judged by {measure or 'whatever one likes'}")


def _publish_task(task: Task, ledger: "_Ledger", key: str) -> int:
    name = _about(task)
    if known := ledger.get("task", name):
        return known
    kind = openml.tasks.TaskType(2 if load_dataset(task.spec).is_regression else 1)
    with _told(name, key):
        known = [way for way in openml.tasks.functions._get_estimation_procedure_list()
                 if way["task_type_id"] == kind]
        found = [way["id"] for way in known if way["name"] == _splitting(task)]
        if not found:
            raise PublishError(f"{name}: OpenML does not split like that. It has: "
                               f"{', '.join(way['name'] for way in known)}.")
        sent = openml.tasks.create_task(
            kind, int(task.dataset.removeprefix(OPENML)), found[0], task.target,
            TASK_METRICS[task.metric].openml or None if task.metric else None)
        try:
            number = int(sent.publish().task_id)
        except openml.exceptions.OpenMLServerException as error:
            same = re.search(r"already exists\D*(\d+)", str(error))
            if not same:
                raise
            number = int(same[1])
    ledger.enter("task", name, number)
    return number


class _Ledger:
    """What the server has accepted: a line each, written before anything else is done."""

    def __init__(self, path: Path):
        self._path, self._known = path, {}
        if path.exists():
            with path.open(newline="", encoding="utf-8") as stream:
                for row in csv.DictReader(stream):
                    if row["id"]:
                        self._known[row["kind"], row["name"]] = int(row["id"])

    def get(self, kind: str, name: str) -> int | None:
        return self._known.get((kind, name))

    def enter(self, kind: str, name: str, number: int) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a", newline="", encoding="utf-8", opener=unlinked) as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if stream.tell() == 0:
                writer.writerow(["kind", "name", "id"])
            writer.writerow([kind, name, number])
            stream.flush()
            os.fsync(stream.fileno())
        self._known[kind, name] = int(number)


@contextmanager
def _connected() -> Iterator[str]:
    """Set the key, and let nothing be sent twice by itself."""
    key = os.environ.get(KEY) or openml.config.apikey
    if not key:
        raise PublishError(f"There is no key. Put the one from your OpenML profile into the "
                           f"environment variable {KEY}, or into OpenML's configuration.")
    before = openml.config.apikey, openml.config.connection_n_retries, CONNECTIONS.disabled
    openml.config.apikey, openml.config.connection_n_retries, CONNECTIONS.disabled = key, 1, True
    try:
        with staging():
            yield key
    finally:
        openml.config.apikey, openml.config.connection_n_retries, CONNECTIONS.disabled = before


@contextmanager
def _told(what: str, key: str) -> Iterator[None]:
    """Turn what OpenML's package raises into `PublishError`, without the key in it."""
    try:
        yield
    except KINDS as error:
        _, why, advice = next(m for m in MEANINGS if isinstance(error, m[0]))
        said = " ".join(str(error).split()).replace(key, HIDDEN)[:300]
        raise PublishError(f"{what}: {why} ({said}). {advice}; what was accepted before is on "
                           "record and is not sent again.") from None


MORE_IS_BETTER = ("predictive_accuracy", "area_under_roc_curve", "f_measure")  # on OpenML
PAGE = 10_000  # results that the server sends at once


def import_runs(suite: Suite, metric: str = "error_rate") -> pd.DataFrame:
    """Fetch what others have published on a suite's tasks.

    Parameters
    ----------
    suite : Suite
        Of OpenML's tasks.
    metric : str
        Of `TASK_METRICS`, among those that OpenML measures.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (OpenML's number), ``method`` (the flow's name), ``fold`` (0: OpenML's mean
        over the folds), ``error`` (lower is better), ``run_id``, ``uploader``. Where a flow was run
        on a task several times, the first run.

    Raises
    ------
    SuiteError
        Where a task is not OpenML's, OpenML has no such metric, or nobody has run anything.
    DatasetError
        Where the server cannot be asked.
    """
    known = TASK_METRICS.get(metric)
    if known is None or not known.openml:
        having = [name for name, m in TASK_METRICS.items() if m.openml]
        raise SuiteError(f"OpenML does not list runs by {metric!r}; it does by "
                         f"{', '.join(having)}.")
    numbers = [_number(task) for task in suite.tasks]
    if not all(numbers):
        raise SuiteError(f"{suite.label}: {suite.tasks[numbers.index(0)].dataset} is no task of "
                         "OpenML, where runs are listed by its tasks.")
    tables = []
    with staging(), explained(f"runs on {suite.label}"):
        for number in numbers:
            try:
                tables.append(openml.evaluations.list_evaluations(
                    known.openml, tasks=[number], size=PAGE, output_format="dataframe"))
            except openml.exceptions.OpenMLServerNoResult:
                continue
    tables = [table for table in tables if len(table)]
    if not tables:
        raise SuiteError(f"Nobody has published a run on the tasks of {suite.label} yet.")
    found = pd.concat(tables, ignore_index=True).sort_values("run_id", kind="stable")
    value = found["value"].astype(float)
    error = 1 - value if known.openml in MORE_IS_BETTER else value
    result = pd.DataFrame({"task": found["task_id"].astype(int), "method": found["flow_name"],
                           "fold": 0, "error": error, "run_id": found["run_id"].astype(int),
                           "uploader": found["uploader"].astype(int)})
    return result.drop_duplicates(["task", "method"], ignore_index=True)
