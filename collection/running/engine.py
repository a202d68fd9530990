"""Gather what a plan names and the store lacks, and store each curve as it finishes."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice

from collection.running.job import CurveResult, JobError, Workers
from collection.running.plan import Plan
from collection.store.writer import CurveKey, StoreWriter

QUEUED = 3  # jobs handed out per worker: enough that none waits for the store


@dataclass
class Outcome:
    """What a run did.

    Attributes
    ----------
    stored : int
        Curves that this run added.
    found : int
        Curves of the plan that were in the store before.
    lost : Counter of str
        Reasons why curves could not be gathered, and how many; they are not in the store, and
        running again tries them again.
    """

    stored: int = 0
    found: int = 0
    lost: Counter[str] = field(default_factory=Counter)


def collect(
    plan: Plan,
    store: StoreWriter,
    workers: Workers,
    tell: Callable[[CurveKey, CurveResult | None], None] = lambda key, result: None,
) -> Outcome:
    """Gather the curves of `plan` that `store` lacks.

    Parameters
    ----------
    plan : Plan
    store : StoreWriter
        Open. Every curve is one transaction.
    workers : Workers
        Where the fits run.
    tell : callable, optional
        Called with every curve when it is stored, or with None when it could not be gathered.

    Returns
    -------
    Outcome
    """
    for dataset in plan.datasets:
        store.add_dataset(dataset.row)
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
        store.add_curve(key, result.fits, result.seconds, result.worker)
        outcome.stored += 1
        tell(key, result)
    return outcome


def _completed(plan: Plan, keys: list[CurveKey],
               workers: Workers) -> Iterator[tuple[CurveKey, Future]]:
    """Yield curves as they complete, keeping a short queue in front of the workers."""
    waiting = iter(keys)
    running: dict[Future, CurveKey] = {}
    while True:
        room = max(QUEUED * workers.count, 1) - len(running)
        running |= {workers.submit(plan.jobs[key]): key for key in islice(waiting, max(room, 0))}
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future
