"""Fit a learner once: what it then says of some rows, what that is worth, what went wrong."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from collection.containers import metrics
from collection.containers.curves import SPLITS, Status
from collection.containers.evaluations import Predictions
from collection.learners import Learner
from collection.learners.learner import SEED, to_jsonable
from collection.learners.outputs import InvalidOutputError, outputs
from collection.project.requirements import MissingRequirementError
from collection.protocol.designs import Design

Clock = Callable[[], float]


def describe(error: BaseException) -> str:
    """Return what is recorded of an exception: its class and its words."""
    return f"{type(error).__name__}: {error}"


def outcome(error: Exception) -> tuple[Status, str]:
    """Return the status and the message that are recorded of what a learner raised.

    Raises
    ------
    MissingRequirementError, ImportError
        Where it is that: what the learner needs is not on this machine, no failure of its own.
    """
    if isinstance(error, MissingRequirementError | ImportError):
        raise error
    if isinstance(error, InvalidOutputError):
        return Status.invalid, str(error)
    return Status.memory if isinstance(error, MemoryError) else Status.error, describe(error)


@dataclass(frozen=True, eq=False)
class Model:
    """What one fit said of train, valid and test, and what it cost in seconds."""

    predictions: tuple[Predictions | None, ...]
    train_time: float
    predict_time: np.ndarray
    chosen: tuple[Mapping[str, object], ...]
    cut_short: bool = False


def fit(learner: Learner, design: Design, limit: float | None = None,
        clock: Clock = time.perf_counter, watched: bool = False) -> Model:
    """Fit a learner once, and predict; raises whatever the learner does.

    Where `watched`, a learner that stops early may watch the rows of the second split, and ends
    within `limit` seconds.
    """
    from sklearn import config_context

    from collection.learners.families.stepwise import EarlyStopped

    estimator = learner.make(design)
    # What is known to hold need not be checked in every call.
    with config_context(assume_finite=design.is_tame, skip_parameter_validation=not learner.own):
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002 - learners without a random_state draw from it
        rows = list(zip(*(learner.given(part[:1 + watched]) for part in (design.X, design.y)),
                        strict=True))
        started = clock()
        if watched and isinstance(estimator, EarlyStopped):
            estimator.time_limit, estimator.clock = limit, clock
            estimator.fit(*rows[0], rows[1])
        else:
            estimator.fit(*rows[0])
        train_time = clock() - started
        predictions, times = zip(*(_predict(estimator, part, design, clock)
                                   for part in learner.given(design.X)), strict=True)
    chosen = getattr(estimator, "best_params_", None)
    return Model(predictions, train_time, np.array(times),
                 () if chosen is None else (to_jsonable(chosen),),
                 getattr(estimator, "ended_by_time_", False))


def _predict(estimator, X, design: Design, clock: Clock) -> tuple[Predictions | None, float]:
    if not len(X):
        return None, 0.0
    started = clock()
    if design.is_regression:
        predictions = Predictions("value", np.asarray(estimator.predict(X), float).ravel())
    else:
        labels, scores, are_probabilities = outputs(estimator, X, design.n_classes)
        kind = "label" if scores is None else "probability" if are_probabilities else "score"
        if scores is None:
            scores = np.eye(design.n_classes)[labels]
        predictions = Predictions(kind, np.asarray(scores, float), labels)
    return predictions, clock() - started


NOT_NUMBERS = "predictions are not all numbers: no metrics of them"


def measure(true: np.ndarray, predictions: Predictions) -> dict[str, float]:
    """Return every metric that the predictions have.

    Parameters
    ----------
    true : ndarray of int (class codes) or float (regression), shape (n_rows,)
    predictions : Predictions

    Returns
    -------
    dict of str to float
        Names of `collection.containers.evaluations.MEASURES`. AUC is NaN where there is one class
        only, and absent where the learner gives no scores, as log-loss is where it gives no
        probabilities, and both where some are NaN.
    """
    if predictions.kind == "value":
        return {"rmse": metrics.rmse(true, predictions.values),
                "mae": metrics.mae(true, predictions.values),
                "r2": metrics.r2(true, predictions.values)}
    found = {"error_rate": metrics.error_rate(true, predictions.labels),
             "f1": metrics.weighted_f1(true, predictions.labels, predictions.values.shape[1])}
    if predictions.kind != "label" and not np.isnan(predictions.values).any():
        found["auc"] = metrics.weighted_auc(true, predictions.values)
        if predictions.kind == "probability":
            found["log_loss"] = metrics.log_loss(true, predictions.values)
    return found


def measure_splits(true: Mapping[str, np.ndarray], predictions: Mapping[str, Predictions]
                   ) -> tuple[dict[str, tuple[float, ...]], str]:
    """Return the metrics as tuples of train, valid and test, and a message where some lack.

    A split that is not in `predictions` is NaN.
    """
    of_split = {split: measure(true[split], predictions[split]) for split in predictions}
    names = dict.fromkeys(name for found in of_split.values() for name in found)
    table = {name: tuple(of_split.get(split, {}).get(name, np.nan) for split in SPLITS)
             for name in names}
    lacking = any(np.isnan(part.values).any() for part in predictions.values())
    return table, NOT_NUMBERS if lacking else ""
