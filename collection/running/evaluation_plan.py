"""A study from its settings: every task read and checked, every evaluation named.

Until it runs nothing is written and nothing fitted: whatever is wrong with the parameters shows
before any work.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

import numpy as np

from collection.datasets.csv_file import portable
from collection.learners import Learner
from collection.learners.registry import check_learners, find_suited
from collection.project.parameters import SettingsError, check_named_once
from collection.project.requirements import provenance
from collection.running.engine import Workers
from collection.running.estimate import CostEstimate, duration
from collection.running.evaluate import EvaluationJob, Protocol, inner_parts
from collection.running.evaluation_settings import EvaluationSettings
from collection.store.connection import StoreFormat
from collection.store.evaluations import EVALUATIONS, EvaluationKey, EvaluationWriter
from collection.suites.specs import expand_tasks
from collection.tasks import CrossValidation, Fold, LoadedTask, Task, load_task
from collection.tasks.procedures import folds_fingerprint


@dataclass(frozen=True, eq=False)
class TaskPlan:
    """A task of a study, without its features.

    Attributes
    ----------
    row : dict
        Columns of the store's table ``tasks``.
    task : Task
        With its fingerprint.
    folds : tuple of Fold
        Those that are evaluated.
    labels : ndarray
        What is true of every row.
    learners : tuple of Learner
        Those that can be evaluated on it.
    """

    row: dict[str, object]
    task: Task
    folds: tuple[Fold, ...]
    labels: np.ndarray
    learners: tuple[Learner, ...]


GUESS = 1.0  # seconds of an evaluation of which nothing is known


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """The evaluations of a study.

    Attributes
    ----------
    tasks : tuple of TaskPlan
    jobs : dict of EvaluationKey to EvaluationJob
        Task by task, fold by fold, so that learners share what is made once per fold.
    left_out : tuple of (task, learner)
        Pairs of a regression task and a classifier, or the reverse.
    settings : EvaluationSettings
        Whether predictions are kept, how exactly, and of how many bags.
    """

    tasks: tuple[TaskPlan, ...]
    jobs: dict[EvaluationKey, EvaluationJob]
    left_out: tuple[tuple[str, str], ...]
    settings: EvaluationSettings
    form: ClassVar[StoreFormat] = EVALUATIONS

    @property
    def rows(self) -> list[dict[str, object]]:
        """Rows of the store's table ``tasks``."""
        return [task.row for task in self.tasks]

    def writer(self, settings: EvaluationSettings) -> EvaluationWriter:
        """Return the writer of the store."""
        return EvaluationWriter(settings.out, settings.of_store, provenance())

    def estimate(self, missing: Iterable[EvaluationKey], stored: Mapping[tuple[str, str], float],
                 workers: Workers) -> CostEstimate:
        """Estimate what the `missing` evaluations cost from those of the same task and learner."""
        pairs = Counter(key.pair for key in missing)
        timed = len(pairs.keys() & stored.keys())
        return CostEstimate({pair: stored.get(pair, GUESS) for pair in pairs}, pairs, timed,
                            len(pairs) - timed)

    def expectation(self, cost: CostEstimate, workers: int) -> str:
        """Say how long what is missing will take, once that is known."""
        if cost.assumed:
            return "How long the others take shows once the first folds are done."
        return (f"The others take about {duration(cost.total / workers)} on {workers} worker(s), "
                "going by those of the same task and learner.")

    def register(self, store: EvaluationWriter) -> None:
        """Tell the store which tasks and learners its evaluations will be of, and of which rows."""
        for plan in self.tasks:
            store.add_task(plan.row | {
                name: portable(plan.row[name], store.folder) for name in ("spec", "source")})
            for learner in plan.learners:
                store.add_learner(learner.name, learner.family, learner.hyperparameters)
            if self.settings.predictions:
                name, classes = plan.row["name"], plan.row["classes"]
                store.add_labels(name, plan.labels)
                for fold in plan.folds:
                    rows = {"valid": fold.train} if self.settings.bags else {}
                    store.add_rows(name, fold.repeat, fold.fold, rows | {"test": fold.test},
                                   classes if classes > 2 else 0, self.settings.precision)


def make_plan(settings: EvaluationSettings, tasks: Iterable[Task] | None = None) -> EvaluationPlan:
    """Load every task, check it and the learners, and name all evaluations.

    Parameters
    ----------
    settings : EvaluationSettings
    tasks : iterable of Task, optional
        With their own splits; by default those that the settings name.

    Raises
    ------
    UnknownNameError, DatasetError, LearnerSpecError
        A dataset, suite or learner that does not exist or cannot be read.
    TaskError
        A task that cannot be carried out: see `collection.tasks.load_task`; a class too small for
        the bags.
    SettingsError
        Two tasks of one name; a fold that a task does not have; a learner that suits no task.
    MissingRequirementError
        A learner's optional library is not installed, or its weights are not to be had.
    """
    check_learners(settings.every_learner)
    plans = tuple(_plan_task(task, settings) for task in (tasks or _tasks(settings)))
    check_named_once("TASKS", (plan.row for plan in plans), "or evaluate it")
    left_out = tuple((plan.row["name"], spec) for plan in plans for spec in settings.every_learner
                     if find_suited(spec, plan.row["problem"] == "regression") is None)
    jobs = {key: job for plan in plans for key, job in _jobs(plan, settings)}
    if not jobs:
        raise SettingsError("LEARNERS: none of them suits the problem of any task; classifiers do "
                            "not predict numbers, nor regressors classes.")
    return EvaluationPlan(plans, jobs, left_out, settings)


def _tasks(settings: EvaluationSettings) -> list[Task]:
    """Return the tasks asked for: a suite's, or those named."""
    specs = [f"suite:{settings.suite}"] if settings.suite else settings.tasks
    return expand_tasks(specs, settings.procedure)


def _plan_task(task: Task, settings: EvaluationSettings) -> TaskPlan:
    loaded = load_task(task)
    kept = replace(task, metric=task.metric or settings.metrics[loaded.problem])
    loaded = replace(loaded, task=replace(kept, fingerprint=loaded.dataset.fingerprint))
    folds = tuple(f for f in loaded.folds if settings.chosen is None or f.fold in settings.chosen)
    if lacking := set(settings.chosen or ()) - {fold.fold for fold in folds}:
        raise SettingsError(f"FOLDS: {loaded.name} has no fold {min(lacking)}; its folds are 0 to "
                            f"{max(fold.fold for fold in loaded.folds)}.")
    for fold in folds:
        inner_parts(loaded, fold, settings.bags, settings.seed)  # which says what is too small
    found = (find_suited(spec, loaded.dataset.is_regression) for spec in settings.every_learner)
    learners = {learner.name: learner for learner in found if learner}
    return TaskPlan(_row(loaded), loaded.task, folds, loaded.labels, tuple(learners.values()))


def _jobs(plan: TaskPlan,
          settings: EvaluationSettings) -> Iterator[tuple[EvaluationKey, EvaluationJob]]:
    protocol = Protocol(settings.bags, settings.seed, settings.scaling,
                        settings.config_limit, settings.clock)
    for fold in plan.folds:
        for learner in plan.learners:
            key = EvaluationKey(plan.row["name"], learner.name, fold.repeat, fold.fold)
            yield key, EvaluationJob(task=plan.task, learner=learner.name, repeat=fold.repeat,
                                     fold=fold.fold, protocol=protocol, limits=settings.limits,
                                     predictions=settings.predictions)


def _row(task: LoadedTask) -> dict[str, object]:
    """Return the columns of the store's table ``tasks``."""
    dataset = task.dataset
    return {
        "name": task.name, "spec": task.task.spec, "target": dataset.target_name,
        "procedure": _procedure(task), "problem": task.problem, "metric": task.metric,
        "class_names": json.dumps(dataset.classes.tolist()), **dataset.facts,
    }


def _procedure(task: LoadedTask) -> str:
    """Return how rows are split, but for what a study may extend: the number of repeats.

    Of splits made elsewhere their content counts, not where they lie.
    """
    procedure = task.task.procedure
    if isinstance(procedure, CrossValidation):
        return json.dumps({"kind": procedure.kind, **asdict(replace(procedure, repeats=1))})
    return json.dumps({"kind": procedure.kind, "sha256": folds_fingerprint(task.folds)})
