"""A task: a dataset, its target, how its rows are split, the metric that counts; and its record.

A record is the task for files that people read: a dict of text, numbers and yes or no.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property

import numpy as np

from collection.containers.metrics import DEFAULTS, TASK_METRICS, check_measures
from collection.datasets import SOURCES, Dataset, load_dataset
from collection.datasets.dataset import UNORDERED
from collection.project.naming import check_known
from collection.tasks import procedures
from collection.tasks.split_files import TaskError

WITH_TARGET = tuple(name for name, source in SOURCES.items() if "?target=" in source.form)
__all__ = ["LoadedTask", "Task", "TaskError", "load_task"]


@dataclass(frozen=True)
class Task:
    """A learning problem with its protocol: what an evaluation is of, and what a suite lists.

    Attributes
    ----------
    dataset : str
        Spec, such as ``keel:vehicle``; see `collection.datasets.load_dataset`.
    target : str
        Column that is predicted; empty: the one that the source or the spec names.
    procedure : CrossValidation, GivenSplits or WholeData
        How rows are split.
    metric : str
        Of `collection.containers.metrics.TASK_METRICS`; empty: AUC for two classes, log-loss for
        more, root mean squared error for regression.
    name : str
        What it is called in containers; empty: as the dataset is.
    version : str
        Of the dataset, as its source counts; empty where it does not.
    fingerprint : str
        SHA-256 of the dataset's content (`Dataset.fingerprint`, or `unordered_fingerprint`) that
        the task was made for; empty: any.
    splits : str
        SHA-256 of its folds (`collection.tasks.procedures.folds_fingerprint`); empty: any.
    """

    dataset: str
    target: str = ""
    procedure: procedures.Procedure = field(default_factory=procedures.CrossValidation)
    metric: str = ""
    name: str = ""
    version: str = ""
    fingerprint: str = ""
    splits: str = ""

    def __post_init__(self):
        if self.metric:
            check_known("metric", [self.metric], TASK_METRICS)

    @property
    def spec(self) -> str:
        """The dataset's spec, with the target in it where its source takes one."""
        source = self.dataset.partition(":")[0]
        if not self.target or "?" in self.dataset or source not in WITH_TARGET:
            return self.dataset
        return f"{self.dataset}?target={self.target}"


@dataclass(frozen=True, eq=False)
class LoadedTask:
    """A task with its data, checked.

    Attributes
    ----------
    task : Task
    dataset : Dataset
    folds : tuple of Fold
        By repeat, then fold.
    """

    task: Task
    dataset: Dataset
    folds: tuple[procedures.Fold, ...]

    @property
    def name(self) -> str:
        """Label of the task."""
        return self.task.name or self.dataset.name

    @property
    def problem(self) -> str:
        """Kind of problem: binary, multiclass or regression."""
        return self.dataset.problem

    @property
    def metric(self) -> str:
        """The metric that counts."""
        return self.task.metric or DEFAULTS[self.problem]

    @cached_property
    def labels(self) -> np.ndarray:
        """Class codes (int), or numbers to predict (float), shape (n_rows,)."""
        if self.dataset.is_regression:
            return self.dataset.target
        return np.unique(self.dataset.target, return_inverse=True)[1]

    def fold(self, repeat: int, fold: int) -> procedures.Fold:
        """Return one fold."""
        return next(f for f in self.folds if (f.repeat, f.fold) == (repeat, fold))


def load_task(task: Task) -> LoadedTask:
    """Load a task's dataset, split its rows, and check that all fits together.

    Raises
    ------
    UnknownNameError, DatasetError
        Where the dataset does not exist or cannot be read.
    TaskError
        Where the dataset is not the one that the task was made for (its fingerprint or target
        differs), the metric cannot measure it, a class is smaller than the folds, or the splits
        lack rows or overlap.
    """
    dataset = load_dataset(task.spec)
    _check_same(task, dataset)
    what = task.name or task.dataset
    if task.metric:
        try:
            check_measures(task.metric, dataset.problem)
        except ValueError as error:
            raise TaskError(f"{what}: {error}.") from None
    folds = sorted(task.procedure.splits(dataset), key=lambda fold: (fold.repeat, fold.fold))
    procedures.check_folds(folds, dataset.n_rows, what, task.procedure.overlaps)
    if task.splits and procedures.folds_fingerprint(folds) != task.splits:
        raise TaskError(f"{what}: its splits are not those that the task was made with: the "
                        f"folds have the fingerprint {procedures.folds_fingerprint(folds)[:12]}…, "
                        f"the task asks for {task.splits[:12]}…. Restore the original splits.")
    return LoadedTask(task, dataset, tuple(folds))


def _check_same(task: Task, dataset: Dataset) -> None:
    """Raise `TaskError` where the data are not those that the task was made for."""
    what = task.name or task.dataset
    if task.target and dataset.target_name != task.target:
        raise TaskError(f"{what}: the task's target is {task.target!r}, while {task.dataset} has "
                        f"{dataset.target_name!r}.")
    if task.fingerprint and (found := dataset.fingerprint_as(task.fingerprint)) != task.fingerprint:
        shown = len(UNORDERED) * task.fingerprint.startswith(UNORDERED) + 12
        raise TaskError(
            f"{what}: {task.dataset} is not what it was when the task was made: its content has "
            f"the fingerprint {found[:shown]}…, the task asks for "
            f"{task.fingerprint[:shown]}…. Get the data of then, or make a new version of the "
            "task.")


def to_record(task: Task) -> dict[str, object]:
    """Return a task as a dict that `from_record` reads; what is empty is left out."""
    plain = {f.name: getattr(task, f.name) for f in fields(Task) if f.name != "procedure"}
    procedure = {"kind": task.procedure.kind, **asdict(task.procedure)}
    return {name: value for name, value in plain.items() if value} | {"procedure": procedure}


def from_record(record: Mapping[str, object]) -> Task:
    """Return the task that a record describes.

    Raises
    ------
    UnknownNameError
        For an unknown key, kind of procedure or metric.
    TaskError
        Where the dataset is missing, or a value is of the wrong type.
    """
    check_known("key of a task", record, [f.name for f in fields(Task)])
    values = dict(record)
    if not values.get("dataset"):
        raise TaskError(f"A task names no dataset: {dict(record)}.")
    procedure = values.pop("procedure", None)
    wrong = [name for name, value in values.items() if not isinstance(value, str)]
    if wrong:
        raise TaskError(f"{values['dataset']}: {wrong[0]} must be text, not {values[wrong[0]]!r}.")
    if procedure is not None:
        values["procedure"] = _procedure(procedure, str(values["dataset"]))
    return Task(**values)


def _procedure(record: Mapping[str, object], what: str) -> procedures.Procedure:
    if not isinstance(record, Mapping) or "kind" not in record:
        raise TaskError(f"{what}: procedure must have a kind ({', '.join(procedures.KINDS)}), "
                        f"not {record!r}.")
    check_known("kind of procedure", [record["kind"]], procedures.KINDS)
    cls = procedures.KINDS[record["kind"]]
    known = {f.name: f.type for f in fields(cls)}
    values = {name: value for name, value in record.items() if name != "kind"}
    check_known("key of a procedure", values, known)
    for name, value in values.items():
        if type(value) is not known[name]:
            raise TaskError(f"{what}: {name} of its procedure must be {known[name].__name__}, "
                            f"not {value!r}.")
    return cls(**values)
