"""Learning curves as jobs: a fit for every anchor."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from collection.containers.curves import CurveKey, Status
from collection.datasets import Dataset, DatasetError, load_dataset
from collection.learners import find_learner
from collection.running.curve import Fit, curve_fits
from collection.running.engine import Limits

NOT_TRIED = {
    Status.timeout: "not tried: {anchor} training rows already ran out of time",
    Status.memory: "not tried: {anchor} training rows already ran out of memory",
}


@dataclass(frozen=True)
class CurveJob:
    """One curve to gather; see `collection.running.engine.Job`.

    After a fit that ran out of time or memory the larger anchors are not tried; they get the same
    status and a message that says so. After a fit that ended its process, the next is tried.

    Attributes
    ----------
    task : CurveKey
        What the curve is of.
    fingerprint : str
        Of the dataset's content (`collection.datasets.Dataset.fingerprint`) when the collection
        was planned; no curve is fitted on other data.
    anchors : tuple of int
        Training-set sizes, ascending.
    limits : Limits
        For each fit.
    predictions : bool
        Whether fits bring their class probabilities or scores.
    """

    task: CurveKey
    fingerprint: str
    anchors: tuple[int, ...]
    limits: Limits
    predictions: bool = False

    @property
    def steps(self) -> int:
        """Fits of the curve."""
        return len(self.anchors)

    def load(self) -> Dataset:
        """Load the dataset, and the learner's library."""
        dataset = load_unchanged(self.task.dataset, self.fingerprint)
        with suppress(ImportError):  # which the fits report
            find_learner(self.task.learner, dataset.is_regression).load()
        return dataset

    def run(self, loaded: Dataset) -> Iterator[Fit]:
        """Yield a fit per anchor."""
        yield from curve_fits(loaded, self.task, self.anchors, predictions=self.predictions)

    def rest(self, done: int) -> "CurveJob":
        """Return the job of the anchors after the first `done`."""
        return replace(self, anchors=self.anchors[done:])

    def failed(self, step: int, status: Status, message: str) -> list[Fit]:
        """Return the failed fit, and those of larger anchors where it ran out of time or memory."""
        first, *rest = self.anchors[step:]
        fits = [Fit(first, status, message)]
        if status in NOT_TRIED:
            not_tried = NOT_TRIED[status].format(anchor=first)
            fits += [Fit(anchor, status, not_tried) for anchor in rest]
        return fits

    def result(self, results: Sequence[Fit], seconds: float, worker: str) -> "CurveResult":
        """Return the curve."""
        return CurveResult(self.task, tuple(results), seconds, worker)

    def __str__(self) -> str:
        return f"{self.task.dataset}, {self.task.learner}"


@dataclass(frozen=True)
class CurveResult:
    """A curve as it was gathered: a fit for every anchor of its job, in ascending order.

    Attributes
    ----------
    task : CurveKey
        As in its job.
    fits : tuple of Fit
        Every one with a status; none is left out.
    seconds : float
        Wall time of the whole curve.
    worker : str
        Host and process that supervised it.
    """

    task: CurveKey
    fits: tuple[Fit, ...]
    seconds: float
    worker: str


@lru_cache(maxsize=2)  # jobs come dataset by dataset
def load_unchanged(spec: str, fingerprint: str) -> Dataset:
    """Load the dataset of a job, and see that it still is what the collection was planned with.

    Raises
    ------
    DatasetError
        Where it has changed, or cannot be read any more.
    """
    dataset = load_dataset(spec)
    if dataset.fingerprint != fingerprint:
        raise DatasetError(f"{spec} has changed since the collection began: its curves would be "
                           "of other data than those before. Collect what it holds now into "
                           "another OUT.")
    return dataset
