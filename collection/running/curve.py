"""Fit one learning curve: one learner, one dataset, one repeat, all anchors; as a job, too."""

import random
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import product

import numpy as np
import xarray as xr

from collection.containers import metrics
from collection.containers.curves import (
    DIMS,
    FIT_DIMS,
    LEAKAGES,
    METRICS,
    SCALINGS,
    SPLITS,
    CurveKey,
    Status,
    build_container,
    metrics_of,
)
from collection.datasets import Dataset, DatasetError, load_dataset
from collection.learners import REGISTRY, Learner, find_learner
from collection.learners.outputs import InvalidOutputError, numbers, outputs
from collection.learners.registry import SEED
from collection.project.naming import check_known
from collection.project.requirements import MissingRequirementError
from collection.protocol.designs import Design, Designs, prepare
from collection.protocol.splits import SEEDS, LearningCurveSplit, ProtocolError
from collection.running.engine import Limits

NONE = (np.nan,) * len(SPLITS)


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
        Of numbers to predict: see `collection.containers.metrics`; else NaN.
    predictions : dict of ndarray, optional
        Per split ``<split>_value`` of numbers; of classes ``<split>_label`` (class codes, int16)
        and ``<split>_probability`` or ``<split>_score`` (rows × classes, double precision: a
        rounded score would tie with others and move the AUC) where the learner gives them.
    """

    anchor: int
    status: Status
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


def curve_anchors(dataset, anchors: Sequence[int] | None = None,
                  repeat: tuple[int, int] | None = None) -> list[int]:
    """Return the anchors that apply to a dataset: those of `anchors` from 16 to its training size.

    By default the grid ⌈16·2^(k/8)⌉. Splits that are given have their own, which may differ by
    repeat (outer, inner).
    """
    return dataset.splits.sizes(len(dataset.target), anchors, repeat).tolist()


def curve_fits(dataset, task: CurveKey, anchors: Sequence[int] | None = None,
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
    check_known("scaling", [task.scaling], SCALINGS)
    check_known("leakage", [task.leakage], LEAKAGES)
    learner = find_learner(task.learner, dataset.is_regression)
    sizes = curve_anchors(dataset, anchors, (task.outer, task.inner))
    try:
        designs = prepare(dataset, task.outer, task.inner, task.scaling, task.leakage,
                          learner.form, sizes)
    except MemoryError as error:
        yield from (Fit(anchor, Status.memory, describe(error)) for anchor in sizes)
        return
    for anchor in sizes:
        yield _fit_prefix(learner, designs, anchor, predictions)


def _fit_prefix(learner: Learner, designs: Designs, anchor: int, predictions: bool) -> Fit:
    try:
        design = designs.at(anchor)
    except MemoryError as error:  # one-hot columns can be many
        return Fit(anchor, Status.memory, describe(error))
    return fit_once(learner, design, anchor, predictions)


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
            return _fit_and_measure(learner, design, anchor, predictions)
    except MemoryError as error:
        return Fit(anchor, Status.memory, describe(error))
    except (MissingRequirementError, ImportError):
        raise
    except InvalidOutputError as error:
        return Fit(anchor, Status.invalid, str(error))
    except Exception as error:  # noqa: BLE001 - whatever a learner raises is the fit's outcome
        return Fit(anchor, Status.error, describe(error))


def _fit_and_measure(learner: Learner, design: Design, anchor: int, predictions: bool) -> Fit:
    from sklearn import config_context

    estimator = learner.make(design)
    times, results = [], []
    # What is known to hold need not be checked in every call.
    with config_context(assume_finite=design.is_tame,
                        skip_parameter_validation=learner.name in REGISTRY):
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002 - learners without a random_state draw from it
        X, y = learner.given((design.X[0], design.y[0]))
        started = time.perf_counter()
        estimator.fit(X, y)
        train_time = time.perf_counter() - started
        for X in learner.given(design.X):
            started = time.perf_counter()
            results.append(numbers(estimator, X) if design.is_regression
                           else outputs(estimator, X, design.n_classes))
            times.append(time.perf_counter() - started)
    fit = _measured(design, results, anchor, train_time, tuple(times), predictions)
    unscored = NONE[len(results):]  # given splits may have no test rows beside the validation rows
    return replace(fit, **{field.name: (*values, *unscored) for field in fields(fit) if unscored and
                           isinstance(values := getattr(fit, field.name), tuple)
                           and len(values) == len(results)})


def _measured(design, results, anchor, train_time, predict_time, predictions) -> Fit:
    if design.is_regression:
        return Fit(
            anchor, Status.ok, train_time=train_time, predict_time=predict_time,
            **{name: tuple(metric(y, said) for y, said in zip(design.y, results, strict=True))
               for name, metric in _of_numbers(design.spread).items()},
            predictions={f"{split}_value": said for split, said in
                         zip(SPLITS, results, strict=False)} if predictions else None)
    n = design.n_classes
    pairs = list(zip(design.y, results, strict=True))
    finite = all(scores is None or not np.isnan(scores).any() for _, scores, _ in results)
    return Fit(
        anchor, Status.ok, "" if finite else "scores are not numbers: no AUC, no log-loss",
        error_rate=tuple(metrics.error_rate(y, labels) for y, (labels, _, _) in pairs),
        f1=tuple(metrics.weighted_f1(y, labels, n) for y, (labels, _, _) in pairs),
        auc=tuple(_auc(y, scores, finite) for y, (_, scores, _) in pairs),
        log_loss=tuple(
            metrics.log_loss(y, scores) if finite and probabilities else np.nan
            for y, (_, scores, probabilities) in pairs),
        train_time=train_time,
        predict_time=predict_time,
        predictions=_kept(results) if predictions else None,
    )


def _of_numbers(spread: float) -> dict[str, Callable[[np.ndarray, np.ndarray], float]]:
    return {"relative_rmse": partial(metrics.relative_rmse, spread=spread), "mae": metrics.mae,
            "r2": metrics.r2}


def _auc(y: np.ndarray, scores: np.ndarray | None, finite: bool) -> float:
    return np.nan if scores is None or not finite else metrics.weighted_auc(y, scores)


def _kept(results) -> dict[str, np.ndarray]:
    kept = {}
    for split, (labels, scores, probabilities) in zip(SPLITS, results, strict=False):
        kept[f"{split}_label"] = labels.astype(np.int16)
        if scores is not None:
            kind = "probability" if probabilities else "score"
            kept[f"{split}_{kind}"] = np.asarray(scores, np.float64)
    return kept


def describe(error: BaseException) -> str:
    """Return what is recorded of an exception: its class and its words."""
    return f"{type(error).__name__}: {error}"


def gather(dataset: Dataset, learners: Sequence[str], scalings: Sequence[str] = ("none",),
           leakage: Sequence[str] = ("no",), outer: Sequence[int] = SEEDS,
           inner: Sequence[int] = SEEDS, anchors: Sequence[int] | None = None) -> xr.Dataset:
    """Return the curves of learners on one dataset.

    Parameters
    ----------
    dataset : Dataset
    learners : sequence of str
        Names of Table 3, or specs; see `collection.learners.find_learner`.
    scalings, leakage : sequence of str
    outer, inner : sequence of int
        Seeds.
    anchors : sequence of int, optional
        Training-set sizes in rows, by default the whole grid.

    Returns
    -------
    xarray.Dataset
        The container of `collection.containers.curves`.

    Raises
    ------
    UnknownNameError, ProtocolError
        See `collection.running.curve.curve_fits`; or the dataset has splits of its own, which
        ``make collect`` takes.
    """
    if not isinstance(dataset.splits, LearningCurveSplit):
        raise ProtocolError(f"{dataset.source} has splits of its own; gather its curves with "
                            f'make collect DATASETS="{dataset.source}".')
    sizes = curve_anchors(dataset, anchors)
    coords = dict(zip(DIMS, ([dataset.name], list(learners), list(scalings), list(leakage),
                             list(outer), list(inner), sizes, list(SPLITS)), strict=True))
    shape = tuple(len(coords[dim]) for dim in FIT_DIMS)
    tasks = (CurveKey(dataset.source, *of) for of in product(*(coords[d] for d in FIT_DIMS[1:-1])))
    fits = [fit for task in tasks for fit in curve_fits(dataset, task, sizes)]
    messages = ["", *sorted({fit.message for fit in fits} - {""})]
    variables = {name: np.array([getattr(fit, name) for fit in fits], float).reshape(
        shape + (len(SPLITS),) * (METRICS[name].dims == DIMS))
        for name in metrics_of("numbers" if dataset.is_regression else "classes")}
    return build_container(
        coords, variables, messages=messages, database="gathered here",
        status=np.array([Status(fit.status) for fit in fits], np.int8).reshape(shape),
        message=np.array([messages.index(fit.message) for fit in fits]).reshape(shape))


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
