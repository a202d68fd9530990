"""Do what a plan names and the store lacks, and store each result as it comes."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from collection.running.job import Job, JobError, Workers

QUEUED = 3  # jobs handed out per worker: enough that none waits for the store


class Store(Protocol):
    """Where results go, each in one transaction, by a key that says what it is of."""

    def finished(self) -> set:
        """Return the keys of what is there."""

    def add(self, key: Any, result: Any) -> None:
        """Store a result, or nothing."""


class Plan(Protocol):
    """What is to be done.

    Attributes
    ----------
    jobs : mapping of key to Job
        In the order that they are done.
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
    finished = store.finished()
    missing = [key for key in plan.jobs if key not in finished]
    outcome = Outcome(found=len(plan.jobs) - len(missing))
    for key, future in _completed(plan, missing, workers):
        try:
            result = future.result()
        except (JobError, *workers.failures) as error:
            outcome.lost[str(error)] += 1
            tell(key, None)
            continue
        store.add(key, result)
        outcome.stored += 1
        tell(key, result)
    return outcome


def _completed(plan: Plan, keys: list[Hashable],
               workers: Workers) -> Iterator[tuple[Hashable, Future]]:
    """Yield jobs as they complete, keeping a short queue in front of the workers."""
    waiting = iter(keys)
    running: dict[Future, Hashable] = {}
    while True:
        room = max(QUEUED * workers.count, 1) - len(running)
        running |= {workers.submit(plan.jobs[key]): key for key in islice(waiting, max(room, 0))}
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future
