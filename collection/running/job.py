"""What a worker is given, and what it gives back: one curve."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from collection.curve import CurveTask, Fit
from collection.running.limits import Limits


@dataclass(frozen=True)
class Job:
    """One curve to gather.

    Attributes
    ----------
    task : CurveTask
        What the curve is of.
    anchors : tuple of int
        Training-set sizes, ascending.
    limits : Limits
        For each fit.
    predictions : bool
        Whether fits bring their class probabilities or scores.
    """

    task: CurveTask
    anchors: tuple[int, ...]
    limits: Limits
    predictions: bool = False


@dataclass(frozen=True)
class CurveResult:
    """A curve as it was gathered: a fit for every anchor of its job, in ascending order.

    Attributes
    ----------
    task : CurveTask
        As in its job.
    fits : tuple of Fit
        Every one with a status; none is left out.
    seconds : float
        Wall time of the whole curve.
    worker : str
        Host and process that supervised it.
    """

    task: CurveTask
    fits: tuple[Fit, ...]
    seconds: float
    worker: str


class JobError(RuntimeError):
    """A curve could not be gathered for a reason that is not its learner's."""


class Workers(Protocol):
    """Where jobs run: a context manager that stops what it started on leaving.

    Attributes
    ----------
    failures : tuple of exception types
        What its futures raise where a worker, not the job, is at fault.
    """

    failures: tuple[type[Exception], ...]

    @property
    def count(self) -> int:
        """Jobs that can run at the same time; may change while they run."""

    def submit(self, job: Job) -> "Future[CurveResult]":
        """Queue a job."""

    def __enter__(self) -> "Workers": ...

    def __exit__(self, *exception: object) -> None: ...
