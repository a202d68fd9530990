"""A collection from its settings to its store: plan, estimate, gather, say what became of it."""

import sys
from collections.abc import Mapping

from collection.running.engine import Outcome, collect
from collection.running.estimate import Estimate, estimate
from collection.running.plan import Plan
from collection.running.progress import Progress, duration
from collection.running.provenance import curve_versions, provenance
from collection.running.workers import make_workers
from collection.settings import Settings
from collection.store.writer import StoreWriter, check_same_data

BUDGET = 30.0  # seconds for the estimate


def store_settings(settings: Settings) -> Mapping[str, object]:
    """Return what every curve of the store depends on, so that none can be added under another.

    More datasets, learners, scalings, leakages or seeds extend a store; these may not change.
    """
    return {
        "ANCHORS": settings.anchors and list(settings.anchors),
        "TIME_LIMIT": settings.time_limit,
        "MEMORY_LIMIT": settings.memory_limit,
        "PREDICTIONS": settings.predictions,
        **{f"version of {name}": found for name, found in curve_versions().items()},
    }


def run(settings: Settings, plan: Plan) -> Outcome:
    """Gather the curves of the plan that the store lacks; say how long it will take, and how far.

    Raises
    ------
    LockedStoreError, ChangedSettingsError
        See `collection.store.writer`.
    ConnectionError, SettingsError
        The workers cannot be had; nothing is written then.
    """
    check_same_data(settings.out, [dataset.row for dataset in plan.datasets])
    with (make_workers(settings) as workers,
          StoreWriter(settings.out, store_settings(settings), provenance()) as store):
        finished = store.finished()
        missing = [key for key in plan.jobs if key not in finished]
        cost = estimate(plan, missing, store.mean_seconds(), workers, BUDGET)
        print(_announce(plan, cost, len(missing), workers.count), file=sys.stderr)
        progress = Progress(cost, len(plan.jobs) - len(missing), workers)
        try:
            return collect(plan, store, workers, progress)
        finally:
            progress.close()


def _announce(plan: Plan, cost: Estimate, missing: int, workers: int) -> str:
    """Say before the work how much of it there is."""
    if not missing:
        return f"All {len(plan.jobs)} curves are in the store."
    return (f"{len(plan.jobs)} curves, {len(plan.jobs) - missing} of them in the store. The others "
            f"take about {duration(cost.total / workers)} on {workers} worker(s), "
            f"{duration(cost.total)} of computing: a rough guess, from {cost.timed} pairs of "
            f"dataset and learner that were timed and {cost.assumed} assumed to be alike.")
