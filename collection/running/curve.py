"""Fit one learning curve: one learner, one dataset, one repeat, all anchors; as a job, too."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from collection.containers import curves
from collection.containers.evaluations import NONE, Predictions
from collection.datasets import Dataset, DatasetError, load_dataset
from collection.learners import Learner, find_learner
from collection.learners.learner import Carrying
from collection.learners.outputs import check_numbers
from collection.project.naming import check_known
from collection.protocol.anchors import sizes_to
from collection.protocol.designs import Design, prepare
from collection.protocol.splits import training_size
from collection.running.engine import Limits
from collection.running.fitting import Model, fit, measure_splits, outcome

NO_SCORES = "scores are not numbers: no AUC, no log-loss"


@dataclass(frozen=True)
class Fit:
    """What became of one fit; tuples are of train, valid, test, NaN where there is no value.

    Attributes
    ----------
    anchor : int
        Rows of the training set.
    status : Status
    message : str
        Why, where the status is not ok, or why a metric has no value; else empty.
    error_rate, f1, auc, log_loss : tuple of float
        NaN where numbers are to be predicted. AUC is NaN where the split has one class or the
        learner gives no scores; log-loss is NaN where the learner gives no probabilities.
    train_time : float
        To fit the learner, in seconds; preprocessing is not counted.
    predict_time : tuple of float
        To predict classes and scores, or numbers, in seconds.
    relative_rmse, mae, r2 : tuple of float
        Of numbers to predict, else NaN: see `collection.containers.metrics`. The first is the root
        mean squared error over the target's deviation over all rows: 1 is about the error of
        predicting the mean.
    predictions : dict of ndarray, optional
        Per split ``<split>_value`` of numbers; of classes ``<split>_label`` (class codes, int16)
        and ``<split>_probability`` or ``<split>_score`` (rows × classes, double precision: a
        rounded score would tie with others and move the AUC) where the learner gives them.
    """

    anchor: int
    status: curves.Status
    message: str = ""
    error_rate: tuple[float, ...] = NONE
    f1: tuple[float, ...] = NONE
    auc: tuple[float, ...] = NONE
    log_loss: tuple[float, ...] = NONE
    train_time: float = np.nan
    predict_time: tuple[float, ...] = NONE
    relative_rmse: tuple[float, ...] = NONE
    mae: tuple[float, ...] = NONE
    r2: tuple[float, ...] = NONE
    predictions: dict[str, np.ndarray] | None = None


def curve_anchors(dataset, anchors: Sequence[int] | None = None) -> list[int]:
    """Return the anchors that apply to a dataset: those of `anchors` from 16 to its training size.

    By default the grid ⌈16·2^(k/8)⌉.
    """
    return sizes_to(training_size(len(dataset.target)), anchors)


def curve_fits(dataset, task: curves.CurveKey, anchors: Sequence[int] | None = None,
               predictions: bool = False) -> Iterator[Fit]:
    """Fit a curve, one anchor after the other.

    Parameters
    ----------
    dataset : collection.datasets.Dataset
    task : CurveKey
    anchors : sequence of int, optional
        By default all that apply.
    predictions : bool
        Whether fits carry the learner's predictions.

    Yields
    ------
    Fit
        Ascending by anchor. A learner's exception is recorded in the fit's status and message.

    Raises
    ------
    UnknownNameError
        For an unknown learner, scaling or leakage.
    ProtocolError
        Where the dataset cannot be split.
    MissingRequirementError, ImportError
        What the learner needs is not on this machine.
    """
    check_known("scaling", [task.scaling], curves.SCALINGS)
    check_known("leakage", [task.leakage], curves.LEAKAGES)
    learner = find_learner(task.learner, dataset.is_regression)
    sizes = curve_anchors(dataset, anchors)
    try:
        designs = prepare(dataset, task.outer, task.inner, scaling=task.scaling,
                          leakage=task.leakage, form=learner.form, anchors=sizes)
    except MemoryError as error:
        yield from (Fit(anchor, *outcome(error)) for anchor in sizes)
        return
    for anchor in sizes:
        try:
            design = designs.at(anchor)
        except MemoryError as error:  # one-hot columns can be many
            yield Fit(anchor, *outcome(error))
        else:
            yield fit_once(learner, design, anchor, predictions)


def fit_once(learner: Learner, design: Design, anchor: int, predictions: bool = False) -> Fit:
    """Fit a learner once and measure it; a failure is recorded, not raised.

    Raises
    ------
    MissingRequirementError, ImportError
        What the learner needs is not on this machine: that is no failure of the learner.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence, mostly: part of what is measured
            return _measured(design, fit(learner, design), anchor, predictions)
    except Exception as error:  # noqa: BLE001 - whatever a learner raises is the fit's outcome
        return Fit(anchor, *outcome(error))


def _measured(design: Design, model: Model, anchor: int, predictions: bool) -> Fit:
    """Measure what was said of the splits."""
    predicted = dict(zip(curves.SPLITS, model.predictions, strict=True))
    true = dict(zip(curves.SPLITS, design.y, strict=True))
    if design.is_regression:
        for split, part in predicted.items():
            check_numbers(part.values, len(true[split]))
    measures, lacking = measure_splits(true, predicted)
    if lacking:
        measures = {name: measures[name] for name in ("error_rate", "f1")}
    if design.is_regression:
        measures["relative_rmse"] = tuple(v / design.spread for v in measures.pop("rmse"))
    return Fit(anchor, curves.Status.ok, NO_SCORES if lacking else "", train_time=model.train_time,
               predict_time=tuple(model.predict_time.tolist()),
               predictions=_kept(predicted) if predictions else None,
               **{name: found for name, found in measures.items() if name in curves.METRICS})


def _kept(predicted: Mapping[str, Predictions]) -> dict[str, np.ndarray]:
    kept = {}
    for split, part in predicted.items():
        if part.labels is not None:
            kept[f"{split}_label"] = part.labels.astype(np.int16)
        if part.kind != "label":
            kept[f"{split}_{part.kind}"] = part.values
    return kept


RAN_OUT = {curves.Status.timeout: "time", curves.Status.memory: "memory"}


@dataclass(frozen=True)
class CurveJob(Carrying):
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

    task: curves.CurveKey
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

    def failed(self, step: int, status: curves.Status, message: str) -> list[Fit]:
        """Return the failed fit, and those of larger anchors where it ran out of time or memory."""
        first, *rest = self.anchors[step:]
        fits = [Fit(first, status, message)]
        if status in RAN_OUT:
            why = f"not tried: {first} training rows already ran out of {RAN_OUT[status]}"
            fits += [Fit(anchor, status, why) for anchor in rest]
        return fits

    def result(self, results: Sequence[Fit], seconds: float, worker: str) -> "CurveResult":
        """Return the curve."""
        return CurveResult(tuple(results), seconds, worker)

    def __str__(self) -> str:
        return f"{self.task.dataset}, {self.task.learner}"


@dataclass(frozen=True)
class CurveResult:
    """A curve as it was gathered: a fit for every anchor of its job, in ascending order.

    Attributes
    ----------
    fits : tuple of Fit
        Every one with a status; none is left out.
    seconds : float
        Wall time of the whole curve.
    worker : str
        Host and process that supervised it.
    """

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
