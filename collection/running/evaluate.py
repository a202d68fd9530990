"""Evaluate one learner on one fold of a task: one fit, or one for every bag; as a job, too.

Bags are as in TabRepo (Section 3): a model per inner fold, fitted on the others; a training row's
prediction is that of the one model that has not seen it, a test row's the mean of all. The
matrices of one fold are made once and shared by every learner that is evaluated on it.
"""

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from collection.containers.curves import SPLITS, Status
from collection.containers.evaluations import Evaluation, Predictions
from collection.learners import Learner, find_learner
from collection.learners.learner import Carrying
from collection.protocol.designs import FORMS, Design
from collection.protocol.encoded import Identity, encode
from collection.protocol.splits import Split
from collection.running.engine import Limits
from collection.running.fitting import Clock, fit, measure_splits, outcome
from collection.tasks import Fold, Task, load_task
from collection.tasks.task import LoadedTask, TaskError

CLOCKS: dict[str, Clock] = {"wall": time.perf_counter, "processor": time.process_time}


def inner_parts(task: LoadedTask, fold: Fold, bags: int,
                seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return which of the fold's training rows each bag is fitted on, and which it holds out.

    Parameters
    ----------
    task : LoadedTask
    fold : Fold
    bags : int
        Inner folds, stratified by class; 0: one fit on all training rows, nothing held out.
    seed : int

    Returns
    -------
    list of (fitted, held out)
        Positions in ``fold.train``.

    Raises
    ------
    TaskError
        Where a class has fewer training rows than there are bags.
    """
    rows = np.arange(len(fold.train))
    if not bags:
        return [(rows, rows[:0])]
    from sklearn.model_selection import KFold, StratifiedKFold

    labels = task.labels[fold.train]
    where = f"{task.name}, repeat {fold.repeat}, fold {fold.fold}"
    if task.dataset.is_regression:
        if len(rows) < bags:
            raise TaskError(f"{where}: {len(rows)} training rows, fewer than the {bags} bags.")
        return list(KFold(bags, shuffle=True, random_state=seed).split(rows))
    counts = np.bincount(labels)
    counts[counts == 0] = len(rows)  # a class that given splits leave out altogether
    if counts.min() < bags:
        raise TaskError(f"{where}: class {str(task.dataset.classes[counts.argmin()])!r} has "
                        f"{counts.min()} training row(s), fewer than the {bags} bags.")
    return list(StratifiedKFold(bags, shuffle=True, random_state=seed).split(rows, labels))


class Average:
    """The mean of several models' predictions, row by row, as they come."""

    def __init__(self, n_rows: int):
        self._n_rows = n_rows
        self._sum: np.ndarray | None = None
        self._count = np.zeros(n_rows)
        self._kind, self._labels = "", None

    def add(self, rows: np.ndarray | slice, predictions: Predictions) -> None:
        """Add what one model says of some of the rows."""
        if self._sum is None:
            self._sum = np.zeros((self._n_rows, *predictions.values.shape[1:]))
            self._labels = None if predictions.labels is None else np.zeros(self._n_rows, np.int64)
        self._kind = predictions.kind
        self._sum[rows] += predictions.values
        self._count[rows] += 1
        if self._labels is not None:
            self._labels[rows] = predictions.labels

    def mean(self) -> Predictions:
        """Return the mean; the class of a row that several spoke of is the likeliest by it."""
        values = self._sum / self._count.reshape(-1, *(1,) * (self._sum.ndim - 1))
        if self._labels is None:
            return Predictions(self._kind, values)
        several = self._count > 1
        labels = np.where(several, values.argmax(axis=1), self._labels)
        return Predictions(self._kind, values, labels)


KEEP = 1e9  # bytes of matrices kept for the next learner; beyond that they are made anew


class FoldDesigns:
    """Designs of a fold: per bag, form and scaling, fitted on the bag's rows alone.

    Parameters
    ----------
    task : LoadedTask
    repeat, fold : int
    bags : int
        0: one design, on all training rows.
    seed : int
        Of the bags.

    Attributes
    ----------
    parts : list of (fitted, held out)
        Positions in the fold's training rows, per bag.
    fold : collection.tasks.Fold
    """

    def __init__(self, task: LoadedTask, repeat: int, fold: int, bags: int, seed: int):
        self.fold = task.fold(repeat, fold)
        self.parts = inner_parts(task, self.fold, bags, seed)
        self._encoded = encode(task.dataset)
        self._kept: dict[tuple, Design] = {}
        self._bytes = 0

    def at(self, bag: int, form: str, scaling: str) -> Design:
        """Return a bag's design: features and targets of its rows, of those held out, of test."""
        key = (bag, form, scaling)
        if key in self._kept:
            return self._kept[key]
        fitted, held_out = (self.fold.train[part] for part in self.parts[bag])
        split = Split(fitted, held_out, self.fold.test)
        design = FORMS[form](self._encoded, split, scaling, "no", [len(fitted)]).at(len(fitted))
        size = sum(map(_bytes, design.X))
        if self._bytes + size <= KEEP:
            self._kept[key] = design
            self._bytes += size
        return design


@lru_cache(maxsize=1)
def _fold_designs(task: Identity, repeat: int, fold: int, bags: int, seed: int) -> FoldDesigns:
    """Return the designs of a fold; those last asked for are kept in memory."""
    return FoldDesigns(task.value, repeat, fold, bags, seed)


def _bytes(X: np.ndarray | pd.DataFrame) -> int:
    return X.nbytes if isinstance(X, np.ndarray) else int(X.memory_usage(deep=True).sum())


@dataclass(frozen=True)
class Protocol:
    """How every evaluation of a study is made.

    Attributes
    ----------
    bags : int
        Inner folds; 0: one fit on all training rows.
    seed : int
        Of the inner folds.
    scaling : {"none", "minmax", "standard"}
        Of numeric features, fitted on what the learner is fitted on; a learner that has its own
        says so.
    config_limit : float, optional
        Seconds that a learner which trains step by step may train, all bags together; the best
        step so far is kept then, and the evaluation's message says so.
    clock : {"wall", "processor"}
        What times and that limit are of; the processor's does not run while others use it, and
        suits learners of one thread.
    """

    bags: int = 0
    seed: int = 0
    scaling: str = "none"
    config_limit: float | None = None
    clock: str = "wall"


def evaluate(task: LoadedTask, learner: Learner, repeat: int, fold: int,
             protocol: Protocol = Protocol(), predictions: bool = False
             ) -> Iterator[Evaluation | None]:
    """Evaluate a learner on a fold; a failure is recorded, not raised.

    Parameters
    ----------
    task : LoadedTask
    learner : Learner
        For the task's kind of problem.
    repeat, fold : int
    protocol : Protocol
    predictions : bool
        Whether the evaluation carries predictions.

    Yields
    ------
    None or Evaluation
        None after every fit but the last, so that each can be held to a time limit; then the
        evaluation.

    Raises
    ------
    TaskError
        Where a class is smaller than the bags.
    MissingRequirementError, ImportError
        What the learner needs is not on this machine: that is no failure of the learner.
    """
    try:
        designs = _fold_designs(Identity(task), repeat, fold, protocol.bags, protocol.seed)
        gathered = _Gathered(designs, protocol)
        for bag in range(len(designs.parts)):
            if bag:
                yield None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of convergence, mostly: part of what is measured
                design = designs.at(bag, learner.form, learner.scaling or protocol.scaling)
                gathered.add(bag, learner, design)
        yield gathered.evaluation(task, predictions)
    except TaskError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a learner raises is the fit's outcome
        yield Evaluation(*outcome(error))


class _Gathered:
    """What the bags said, and what they cost."""

    def __init__(self, designs: FoldDesigns, protocol: Protocol):
        self._designs = designs
        self._limit, self._clock = protocol.config_limit, CLOCKS[protocol.clock]
        self._cut_short = 0
        n_train, n_test = len(designs.fold.train), len(designs.fold.test)
        self._predictions = {"train": Average(n_train), "valid": Average(n_train),
                             "test": Average(n_test)}
        self._train_time = 0.0
        self._predict_time = np.zeros(len(SPLITS))
        self._chosen: list[Mapping[str, object]] = []

    def add(self, bag: int, learner: Learner, design: Design) -> None:
        """Fit one bag, and add what it says of all rows to the means."""
        fitted, held_out = self._designs.parts[bag]
        model = fit(learner, design, self._share(bag), self._clock, watched=True)
        self._cut_short += model.cut_short
        self._train_time += model.train_time
        self._predict_time += model.predict_time
        self._chosen += model.chosen
        self._predictions["train"].add(fitted, model.predictions[0])
        self._predictions["test"].add(slice(None), model.predictions[2])
        if len(held_out):
            self._predictions["train"].add(held_out, model.predictions[1])
            self._predictions["valid"].add(held_out, model.predictions[1])

    def _share(self, bag: int) -> float | None:
        """Return the seconds that a bag may train: what is left, in equal parts."""
        if self._limit is None:
            return None
        return max(0.0, self._limit - self._train_time) / (len(self._designs.parts) - bag)

    def _messages(self, message: str) -> str:
        """Return what there is to say of the evaluation."""
        if not self._cut_short:
            return message
        stopped = (f"{self._cut_short} of {len(self._designs.parts)} fits ended at the limit of "
                   f"{round(self._limit, 2):g} s and kept their best step")
        return f"{message}; {stopped}" if message else stopped

    def evaluation(self, task: LoadedTask, predictions: bool) -> Evaluation:
        """Measure the means."""
        fold = self._designs.fold
        bagged = len(self._designs.parts) > 1
        rows = {"train": fold.train, "valid": fold.train, "test": fold.test}
        predicted = {split: self._predictions[split].mean() for split in SPLITS
                     if bagged or split != "valid"}
        true = {split: task.labels[rows[split]] for split in predicted}
        measures, message = measure_splits(true, predicted)
        times = np.where([split in predicted for split in SPLITS], self._predict_time, np.nan)
        kept = None
        if predictions:
            kept = {split: part for split, part in predicted.items() if split != "train"}
        return Evaluation(status=Status.ok, message=self._messages(message), measures=measures,
                          train_time=self._train_time, predict_time=tuple(times.tolist()),
                          chosen=tuple(self._chosen), predictions=kept)


load_once = lru_cache(maxsize=2)(load_task)  # jobs come task by task


@dataclass(frozen=True)
class EvaluationJob(Carrying):
    """One evaluation to make; see `collection.running.engine.Job`.

    Attributes
    ----------
    task : Task
        With the fingerprint that its dataset had when the study was planned: no evaluation is made
        on other data.
    learner : str
        Name or spec.
    repeat, fold : int
    protocol : Protocol
    limits : Limits
        For each fit, of which there is one for every bag.
    predictions : bool
    """

    task: Task
    learner: str
    repeat: int
    fold: int
    protocol: Protocol
    limits: Limits
    predictions: bool = False

    steps = 1

    def load(self) -> tuple[LoadedTask, Learner]:
        """Load the task, and the learner's library."""
        task = load_once(self.task)
        learner = find_learner(self.learner, task.dataset.is_regression)
        with suppress(ImportError):  # which the fit reports
            learner.load()
        return task, learner

    def run(self, loaded: tuple[LoadedTask, Learner]) -> Iterator[Evaluation | None]:
        """Yield None after every bag but the last, then the evaluation."""
        yield from evaluate(*loaded, self.repeat, self.fold, self.protocol, self.predictions)

    def rest(self, done: int) -> "EvaluationJob":
        """Return the job itself: nothing of it is done before all is."""
        return self

    def failed(self, step: int, status: Status, message: str) -> list[Evaluation]:
        """Return the evaluation as a failure, whichever of its fits was to blame."""
        return [Evaluation(status, message)]

    def result(self, results: Sequence[Evaluation], seconds: float, worker: str) -> "Result":
        """Return what is stored."""
        return Result(results[0], seconds, worker)

    def __str__(self) -> str:
        return f"{self.task.name or self.task.dataset}, {self.learner}, fold {self.fold}"


@dataclass(frozen=True, eq=False)
class Result:
    """An evaluation as it was made.

    Attributes
    ----------
    evaluation : Evaluation
    seconds : float
        Wall time, preprocessing and all bags included.
    worker : str
        Host and process that supervised it.
    """

    evaluation: Evaluation
    seconds: float
    worker: str
