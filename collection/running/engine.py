"""Do what a plan names and the store lacks, and store each result as it comes."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from collection.running.job import Job, JobError, Workers

QUEUED = 3  # jobs handed out per worker: enough that none waits for the store


class Store(Protocol):
    """Where results go, each whole or not at all, by a key that says what it is of."""

    def finished(self) -> Container:
        """Return the keys of what is there; it may look them up when it is asked for one."""

    def add_all(self, results: Mapping[Any, Any]) -> None:
        """Store results by their keys, each whole or not at all."""


class Plan(Protocol):
    """What is to be done.

    Attributes
    ----------
    jobs : mapping of key to Job
        In the order that they are done; it may make a job when it is asked for it.
    """

    jobs: Mapping[Hashable, Job]

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


def collect(
    plan: Plan,
    store: Store,
    workers: Workers,
    tell: Callable[[Hashable, Any], None] = lambda key, result: None,
) -> Outcome:
    """Do the jobs of `plan` whose results `store` lacks.

    Neither all jobs nor all keys are held at a time. Results that come while others are being
    stored are stored together.

    Parameters
    ----------
    plan : Plan
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
    for completed in _completed(plan, _missing(plan, store.finished(), outcome), workers):
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


def _missing(plan: Plan, finished: Container, outcome: Outcome) -> Iterator[Hashable]:
    """Yield what is to be done, and count what is not."""
    for key in plan.jobs:
        if key in finished:
            outcome.found += 1
        else:
            yield key


def _completed(plan: Plan, waiting: Iterator[Hashable],
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
