"""One way from a plan to its store, whatever the kind of work: what is lacking is done and stored.

Nothing is written before everything is checked that can be without a fit.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Protocol, TypeVar

from collection.running import engine
from collection.running.curve_settings import WorkSettings
from collection.running.engine import Outcome, Workers, collect
from collection.running.estimate import CostEstimate, Progress
from collection.running.workers import check_workers, make_workers
from collection.store.base import Writer, check_same, check_unchanged
from collection.store.connection import StoreFormat


class Plan(engine.JobPlan, Protocol):
    """What is to be done, into which store.

    Attributes
    ----------
    form : StoreFormat
        The kind of store it goes to.
    """

    form: ClassVar[StoreFormat]

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Dataset's or task's name and learner, where the learner does not suit it."""

    @property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Columns of the store's table of datasets, or of tasks."""

    def writer(self, settings: Any) -> Writer:
        """Return the writer of the store."""

    def estimate(self, missing: Iterable[Any], stored: Mapping[tuple[str, str], float],
                 workers: Workers) -> CostEstimate:
        """Estimate what the `missing` jobs cost, given the mean seconds of those stored."""

    def expectation(self, cost: CostEstimate, workers: int) -> str:
        """Say how long what is missing will take."""


SomePlan = TypeVar("SomePlan", bound=Plan)


def check(settings: WorkSettings, make_plan: Callable[[Any], SomePlan],
          form: StoreFormat) -> SomePlan:
    """Return the plan of settings, once the store suits them and the workers can be had.

    Raises what `run` and `make_plan` do; nothing is written.
    """
    check_unchanged(settings.out, settings.of_store, form)
    plan = make_plan(settings)
    check_same(settings.out, plan.rows, form)
    check_workers(settings)
    return plan


def run(settings: WorkSettings, plan: Plan) -> Outcome:
    """Do what the plan names and the store lacks; say how long it will take, and how far it is.

    Raises
    ------
    LockedStoreError, ChangedSettingsError
        See `collection.store.base.Writer`.
    ConnectionError, SettingsError
        The workers cannot be had; nothing is written then.
    """
    check_same(settings.out, plan.rows, plan.form)
    with make_workers(settings) as workers, plan.writer(settings) as store:
        finished = store.finished()
        cost = plan.estimate((key for key in plan.jobs if key not in finished),
                             store.mean_seconds(), workers)
        for name, pairs in groupby(plan.left_out, itemgetter(0)):
            learners = ", ".join(learner for _, learner in pairs)
            print(f"{name}: left out, being of another kind: {learners}.", file=sys.stderr)
        print(_announce(plan, cost, workers.count), file=sys.stderr)
        progress = Progress(cost, len(plan.jobs) - cost.missing, workers, plan.form.things[:-1])
        try:
            return collect(plan, store, workers, progress)
        finally:
            progress.close()


def _announce(plan: Plan, cost: CostEstimate, workers: int) -> str:
    """Say before the work how much of it there is."""
    count, things = len(plan.jobs), plan.form.things
    if not cost.missing:
        return f"All {count} {things} are in the store."
    return (f"{count} {things}, {count - cost.missing} of them in the store. "
            f"{plan.expectation(cost, workers)}")
