"""Evaluations as jobs of the engine: one learner on one fold of a task."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from collection.containers.curves import Status
from collection.containers.evaluations import Evaluation
from collection.learners import Learner, find_learner
from collection.running.engine import Limits
from collection.running.evaluate import Protocol, evaluate
from collection.tasks import Task, load_task
from collection.tasks.task import LoadedTask

load_once = lru_cache(maxsize=2)(load_task)  # jobs come task by task


@dataclass(frozen=True)
class EvaluationJob:
    """One evaluation to make; see `collection.running.engine.Job`.

    Attributes
    ----------
    task : Task
        With the fingerprint that its dataset had when the study was planned: no evaluation is made
        on other data.
    learner : str
        Name or spec.
    repeat, fold : int
    protocol : Protocol
    limits : Limits
        For each fit, of which there is one for every bag.
    predictions : bool
    """

    task: Task
    learner: str
    repeat: int
    fold: int
    protocol: Protocol
    limits: Limits
    predictions: bool = False

    steps = 1

    def load(self) -> tuple[LoadedTask, Learner]:
        """Load the task, and the learner's library."""
        task = load_once(self.task)
        learner = find_learner(self.learner, task.dataset.is_regression)
        with suppress(ImportError):  # which the fit reports
            learner.load()
        return task, learner

    def run(self, loaded: tuple[LoadedTask, Learner]) -> Iterator[Evaluation | None]:
        """Yield None after every bag but the last, then the evaluation."""
        yield from evaluate(*loaded, self.repeat, self.fold, self.protocol, self.predictions)

    def rest(self, done: int) -> "EvaluationJob":
        """Return the job itself: nothing of it is done before all is."""
        return self

    def failed(self, step: int, status: Status, message: str) -> list[Evaluation]:
        """Return the evaluation as a failure, whichever of its fits was to blame."""
        return [Evaluation(status, message)]

    def result(self, results: Sequence[Evaluation], seconds: float, worker: str) -> "Result":
        """Return what is stored."""
        return Result(results[0], seconds, worker)

    def __str__(self) -> str:
        return f"{self.task.name or self.task.dataset}, {self.learner}, fold {self.fold}"


@dataclass(frozen=True, eq=False)
class Result:
    """An evaluation as it was made.

    Attributes
    ----------
    evaluation : Evaluation
    seconds : float
        Wall time, preprocessing and all bags included.
    worker : str
        Host and process that supervised it.
    """

    evaluation: Evaluation
    seconds: float
    worker: str
