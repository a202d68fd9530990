"""A study from its settings to its store: plan, evaluate, say what became of it."""

import sys
from collections.abc import Mapping

from collection.evaluation.plan import EvaluationPlan
from collection.evaluation.settings import EvaluationSettings
from collection.running.engine import Outcome, collect
from collection.running.estimate import Estimate
from collection.running.progress import Progress, duration
from collection.running.provenance import curve_versions, provenance
from collection.running.workers import make_workers
from collection.store.evaluation_writer import EvaluationWriter, check_same_tasks

GUESS = 1.0  # seconds of an evaluation of which nothing is known


def store_settings(settings: EvaluationSettings) -> Mapping[str, object]:
    """Return what every evaluation of the store depends on; more of the same extends a store."""
    return {
        "BAGS": settings.bags,
        "SEED": settings.seed,
        "SCALING": settings.scaling,
        "CONFIG_LIMIT": settings.config_limit,
        "CLOCK": settings.clock,
        "TIME_LIMIT": settings.time_limit,
        "MEMORY_LIMIT": settings.memory_limit,
        "PREDICTIONS": settings.predictions,
        "PRECISION": settings.precision,
        **{f"version of {name}": found for name, found in curve_versions().items()},
    }


def run(settings: EvaluationSettings, plan: EvaluationPlan) -> Outcome:
    """Make the evaluations of the plan that the store lacks, and say how far it is.

    Raises
    ------
    LockedStoreError, ChangedSettingsError
        See `collection.store.base.Writer` and `EvaluationWriter.add_task`.
    ConnectionError, SettingsError
        The workers cannot be had; nothing is written then.
    """
    check_same_tasks(settings.out, [task.row for task in plan.tasks])
    with (make_workers(settings) as workers,
          EvaluationWriter(settings.out, store_settings(settings), provenance()) as store):
        finished = store.finished()
        missing = [key for key in plan.jobs if key not in finished]
        known = store.mean_seconds()
        cost = Estimate({key: known.get(key.pair, GUESS) for key in missing}, len(known), 0)
        print(_announce(plan, cost, known, workers.count), file=sys.stderr)
        progress = Progress(cost, len(plan.jobs) - len(missing), workers, "evaluation")
        try:
            return collect(plan, store, workers, progress)
        finally:
            progress.close()


def _announce(plan: EvaluationPlan, cost: Estimate, known: Mapping, workers: int) -> str:
    """Say before the work how much of it there is."""
    missing = len(cost.seconds)
    if not missing:
        return f"All {len(plan.jobs)} evaluations are in the store."
    told = f"{len(plan.jobs)} evaluations, {len(plan.jobs) - missing} of them in the store."
    pairs = {key.pair for key in cost.seconds}
    if pairs <= set(known):
        return (f"{told} The others take about {duration(cost.total / workers)} on {workers} "
                "worker(s), going by those of the same task and learner.")
    return f"{told} How long the others take shows once the first folds are done."
