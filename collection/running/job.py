"""What a worker is given and gives back, whatever kind of work it is.

A learning curve is one kind (`collection.running.curve_job`), an evaluation the other
(`collection.evaluation.job`). The engine, the workers and the process that fits know only this.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from collection.container import Status

CONNECT = 30.0  # seconds


@dataclass(frozen=True)
class Limits:
    """What one fit may use.

    Attributes
    ----------
    time : float
        Wall time to fit, predict and score, in seconds.
    memory : float
        Resident memory of the process that fits, its libraries and data included, in bytes;
        looked at every 20 ms. Processes that a learner starts itself do not count.
    """

    time: float
    memory: float


class Job(Protocol):
    """One unit of work, stored as a whole; to be pickled, and small.

    Attributes
    ----------
    limits : Limits
        For each fit.
    """

    limits: Limits

    @property
    def steps(self) -> int:
        """How many results it has: the fits of a curve, or the one evaluation."""

    def load(self) -> Any:
        """Read the data and import the learner's library, in the process that fits, untimed.

        Raises whatever is not the learner's doing: data that cannot be read or have changed.
        """

    def run(self, loaded: Any) -> Iterator[Any]:
        """Yield the results of the steps; None where a fit is done but no step: time starts anew.

        What a learner raises is a result with a status, not an exception.
        """

    def rest(self, done: int) -> "Job":
        """Return the job without its first steps."""

    def failed(self, step: int, status: Status, message: str) -> Sequence[Any]:
        """Return the results of a step that took its process down, and of those not worth trying.

        By running out of time or memory, or by ending the process.
        """

    def result(self, results: Sequence[Any], seconds: float, worker: str) -> Any:
        """Return what is to be stored.

        Parameters
        ----------
        results : sequence
            Of every step, in order.
        seconds : float
            Wall time of the whole job.
        worker : str
            Host and process that supervised it.
        """

    def __str__(self) -> str:
        """Say in a few words what it is of."""


class JobError(RuntimeError):
    """A job could not be done for a reason that is not its learner's."""


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

    def submit(self, job: Job) -> Future:
        """Queue a job; the future brings what its `result` returns."""

    def __enter__(self) -> "Workers": ...

    def __exit__(self, *exception: object) -> None: ...


def unreachable(address: str, error: Exception) -> ConnectionError:
    """Return what to raise where no scheduler answers at `address`."""
    return ConnectionError(f"No Dask scheduler answers at {address}: {error}. Start one (dask "
                           "scheduler), or correct the address.")
