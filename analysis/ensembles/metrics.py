"""The errors that ensembles are chosen and judged by, by name: lower is better."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from collection.naming import check_known

LEAST_PROBABILITY = 1e-15  # log-loss: probabilities are clipped to this and one minus this


@dataclass(frozen=True)
class Metric:
    """An error of one prediction.

    Attributes
    ----------
    name, title : str
        Key in `METRICS`, name in words.
    of_classes : bool
        Whether it is of class probabilities; else of numbers.
    compute : callable
        From a prediction, shape (row,) or (row, class), and labels, shape (row,), to the error.
    """

    name: str
    title: str
    of_classes: bool
    compute: Callable[[np.ndarray, np.ndarray], float]


def true_class_probability(
    prediction: np.ndarray, labels: np.ndarray, classes: bool
) -> np.ndarray:
    """Return the probability given to each row's class.

    Parameters
    ----------
    prediction : ndarray, shape (..., row), or (..., row, class) if `classes`
        Probabilities; without classes, those of class 1 of two.
    labels : ndarray of int, shape (row,)
        Class numbers from 0.
    classes : bool
        Whether the last dimension is the classes.
    """
    if classes:
        return prediction[..., np.arange(len(labels)), labels]
    return np.where(labels == 1, prediction, 1 - prediction)


def decide(prediction: np.ndarray, classes: bool) -> np.ndarray:
    """Return the class numbers decided for: the most probable one, the first of equal ones."""
    return prediction.argmax(axis=-1) if classes else (prediction > 0.5).astype(int)


def log_loss(prediction: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean negative logarithm of the true class's clipped probability."""
    true = true_class_probability(prediction.astype(float), labels, prediction.ndim == 2)
    return float(-np.log(np.clip(true, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)).mean())


def auc_error(prediction: np.ndarray, labels: np.ndarray) -> float:
    """Return 1 − AUC of the probability of class 1; equal scores count half."""
    return 1 - area_under_curve(prediction, labels == 1)


def area_under_curve(
    scores: np.ndarray, positive: np.ndarray, order: np.ndarray | None = None
) -> float:
    """Return the share of pairs of a positive and a negative row that are in the right order.

    Parameters
    ----------
    scores : ndarray, shape (row,)
        Higher for positive rows; pairs of equal scores count half.
    positive : ndarray of bool, shape (row,)
    order : ndarray of int, shape (row,), optional
        What sorts the scores, where that is known.
    """
    order = np.argsort(scores) if order is None else order
    scores = scores.take(order)
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    positives = np.cumsum(positive.take(order))[ends].astype(float)  # up to each distinct score
    negatives = ends + 1 - positives
    # Twice the area below the curve, as trapezoids; whole numbers, exact up to 2 ** 53.
    twice = (positives[1:] - positives[:-1]) @ (negatives[1:] + negatives[:-1])
    twice += positives[0] * negatives[0]
    return float(twice / 2 / (positives[-1] * negatives[-1]))


def error_rate(prediction: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of rows whose most probable class is not theirs."""
    return float(1 - (decide(prediction, prediction.ndim == 2) == labels).mean())


def root_mean_squared_error(prediction: np.ndarray, labels: np.ndarray) -> float:
    """Return the root of the mean squared difference, in the target's units."""
    return float(np.sqrt(((labels - prediction.astype(float)) ** 2).mean()))


METRICS = {m.name: m for m in (
    Metric("log_loss", "Log-loss", True, log_loss),
    Metric("auc", "1 − AUC", True, auc_error),
    Metric("error_rate", "Error rate", True, error_rate),
    Metric("rmse", "RMSE", False, root_mean_squared_error),
)}


def measure_errors(predictions: np.ndarray, labels: np.ndarray, metric: str) -> np.ndarray:
    """Return each config's error.

    Parameters
    ----------
    predictions : ndarray, shape (config, row) or (config, row, class)
        Probabilities of class 1 of two, or of each class; numbers for ``"rmse"``.
    labels : ndarray, shape (row,)
        Class numbers from 0, or numbers.
    metric : str
        A name in `METRICS`.

    Returns
    -------
    ndarray of float, shape (config,)
    """
    check_known("metric", [metric], METRICS)
    return np.array([METRICS[metric].compute(p, labels) for p in predictions])
