"""Evaluate one learner on one fold of a task: one fit, or one for every bag."""

import random
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from collection.container import SPLITS, Status
from collection.curve import describe
from collection.evaluation.bags import Average
from collection.evaluation.designs import FoldDesigns, fold_designs
from collection.evaluation.evaluation import Evaluation, Predictions
from collection.evaluation.measures import measure_splits
from collection.learners.outputs import outputs
from collection.learners.registry import SEED, Learner
from collection.learners.requirements import MissingRequirementError
from collection.learners.spec import plain
from collection.preprocess import Design
from collection.tasks.task import LoadedTask, TaskError


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
    """

    bags: int = 0
    seed: int = 0
    scaling: str = "none"


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
        designs = fold_designs(task, repeat, fold, protocol.bags, protocol.seed)
        gathered = _Gathered(designs)
        for bag in range(len(designs.parts)):
            if bag:
                yield None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of convergence, mostly: part of what is measured
                design = designs.at(bag, learner.form, learner.scaling or protocol.scaling)
                gathered.add(bag, learner, design)
        yield gathered.evaluation(task, predictions)
    except MemoryError as error:
        yield Evaluation(Status.memory, describe(error))
    except (TaskError, MissingRequirementError, ImportError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a learner raises is the fit's outcome
        yield Evaluation(Status.error, describe(error))


class _Gathered:
    """What the bags said, and what they cost."""

    def __init__(self, designs: FoldDesigns):
        self._designs = designs
        n_train, n_test = len(designs.fold.train), len(designs.fold.test)
        self._said = {"train": Average(n_train), "valid": Average(n_train),
                      "test": Average(n_test)}
        self._train_time = 0.0
        self._predict_time = np.zeros(len(SPLITS))
        self._chosen: list[Mapping[str, object]] = []

    def add(self, bag: int, learner: Learner, design: Design) -> None:
        """Fit one bag, and add what it says of all rows to the means."""
        fitted, held_out = self._designs.parts[bag]
        model = fit(learner, design)
        self._train_time += model.train_time
        self._predict_time += model.predict_time
        self._chosen += model.chosen
        self._said["train"].add(fitted, model.said[0])
        self._said["test"].add(slice(None), model.said[2])
        if len(held_out):
            self._said["train"].add(held_out, model.said[1])
            self._said["valid"].add(held_out, model.said[1])

    def evaluation(self, task: LoadedTask, predictions: bool) -> Evaluation:
        """Measure the means."""
        fold = self._designs.fold
        bagged = len(self._designs.parts) > 1
        rows = {"train": fold.train, "valid": fold.train, "test": fold.test}
        said = {split: self._said[split].mean() for split in SPLITS if bagged or split != "valid"}
        true = {split: task.labels[rows[split]] for split in said}
        measures, message = measure_splits(true, said)
        times = np.where([split in said for split in SPLITS], self._predict_time, np.nan)
        kept = {split: said[split] for split in said if split != "train"} if predictions else None
        return Evaluation(Status.ok, message, measures, self._train_time, tuple(times.tolist()),
                          tuple(self._chosen), kept)


@dataclass(frozen=True, eq=False)
class Model:
    """What one fit said of train, valid and test, and what it cost in seconds."""

    said: tuple[Predictions | None, ...]
    train_time: float
    predict_time: np.ndarray
    chosen: tuple[Mapping[str, object], ...]


def fit(learner: Learner, design: Design) -> Model:
    """Fit a learner once, and predict; raises whatever the learner does."""
    from sklearn import config_context

    estimator = learner.make(design)
    X, y = (design.X, design.y) if not learner.own else _copies(design)
    with config_context(assume_finite=design.is_tame, skip_parameter_validation=not learner.own):
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002 - learners without a random_state draw from it
        started = time.perf_counter()
        estimator.fit(X[0], y[0])
        train_time = time.perf_counter() - started
        said, times = zip(*(_predict(estimator, part, design) for part in X), strict=True)
    chosen = getattr(estimator, "best_params_", None)
    return Model(said, train_time, np.array(times), () if chosen is None else (plain(chosen),))


def _predict(estimator, X, design: Design) -> tuple[Predictions | None, float]:
    if not len(X):
        return None, 0.0
    started = time.perf_counter()
    if design.is_regression:
        said = Predictions("value", np.asarray(estimator.predict(X), float).ravel())
    else:
        labels, scores, are_probabilities = outputs(estimator, X, design.n_classes)
        kind = "label" if scores is None else "probability" if are_probabilities else "score"
        if scores is None:
            scores = np.eye(design.n_classes)[labels]
        said = Predictions(kind, np.asarray(scores, float), labels)
    return said, time.perf_counter() - started


def _copies(design: Design) -> tuple[tuple, tuple]:
    """Return features and targets of their own, for a learner that might change them."""
    return tuple(X.copy() for X in design.X), tuple(y.copy() for y in design.y)
