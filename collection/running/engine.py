"""Do what a plan names and the store lacks, and store each result as it comes.

Whatever kind of work it is: a learning curve is one (`collection.running.curve`), an evaluation
the other (`collection.running.evaluate`). The engine, the workers and the process that fits
know only what is described here of jobs, workers, stores and plans.
"""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from collection.containers.curves import Status

QUEUED = 3  # jobs handed out per worker: enough that none waits for the store
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
    """One unit of work, stored as a whole; to be pickled, and small."""

    @property
    def limits(self) -> Limits:
        """What each fit may take."""

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


class Store(Protocol):
    """Where results go, each whole or not at all, by a key that says what it is of."""

    def finished(self) -> Container:
        """Return the keys of what is there."""

    def add_all(self, results: Mapping[Any, Any]) -> None:
        """Store results by their keys, each whole or not at all."""


class JobPlan(Protocol):
    """What is to be done."""

    @property
    def jobs(self) -> Mapping[Any, Job]:
        """Jobs by key, in the order that they are done."""

    def register(self, store: Any) -> None:
        """Tell the store what its results will be of."""


@dataclass
class Outcome:
    """What a run did.

    Attributes
    ----------
    stored : int
        Results that this run added: curves, or evaluations.
    found : int
        Those of the plan that were in the store before.
    lost : Counter of str
        Reasons why some could not be gathered, and how many; they are not in the store, and
        running again tries them again.
    """

    stored: int = 0
    found: int = 0
    lost: Counter[str] = field(default_factory=Counter)


def collect(plan: JobPlan, store: Store, workers: Workers,
            tell: Callable[[Hashable, Any], None] = lambda key, result: None) -> Outcome:
    """Do the jobs of `plan` whose results `store` lacks.

    Results that come while others are being stored are stored together.

    Parameters
    ----------
    plan : JobPlan
    store : Store
        Open.
    workers : Workers
        Where the fits run.
    tell : callable, optional
        Called with every result when it is stored, or with None when there is none.

    Returns
    -------
    Outcome
    """
    plan.register(store)
    outcome = Outcome()
    finished = store.finished()
    outcome.found = sum(key in finished for key in plan.jobs)
    waiting = (key for key in plan.jobs if key not in finished)
    for completed in _completed(plan, waiting, workers):
        results = {}
        for key, future in completed.items():
            try:
                results[key] = future.result()
            except (JobError, *workers.failures) as error:
                outcome.lost[str(error)] += 1
        store.add_all(results)
        outcome.stored += len(results)
        for key in completed:
            tell(key, results.get(key))
    return outcome


def _completed(plan: JobPlan, waiting: Iterator[Hashable],
               workers: Workers) -> Iterator[dict[Hashable, Future]]:
    """Yield jobs as they complete, keeping a short queue in front of the workers."""
    running: dict[Future, Hashable] = {}
    while True:
        room = max(QUEUED * workers.count, 1) - len(running)
        running |= {workers.submit(plan.jobs[key]): key for key in islice(waiting, max(room, 0))}
        if not running:
            return
        done = wait(running, return_when=FIRST_COMPLETED).done
        yield {running.pop(future): future for future in done}


def unreachable(address: str, error: Exception) -> ConnectionError:
    """Return what to raise where no scheduler answers at `address`."""
    return ConnectionError(f"No Dask scheduler answers at {address}: {error}. Start one (dask "
                           "scheduler), or correct the address.")
