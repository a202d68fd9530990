"""The errors that ensembles are chosen and judged by, by name: lower is better.

What they are is in `collection.containers.metrics`: the very measures that fits are judged by.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from collection.containers import metrics
from collection.project.naming import check_known


class Metric(NamedTuple):
    """An error of one prediction.

    Attributes
    ----------
    of_classes : bool
        Whether it is of class probabilities; else of numbers.
    compute : callable
        From a prediction, shape (row,) or (row, class), and labels, shape (row,), to the error.
    """

    of_classes: bool
    compute: Callable[[np.ndarray, np.ndarray], float]


def decide(prediction: np.ndarray) -> np.ndarray:
    """Return the class decided for in each row: the most probable one, the first of equal ones.

    Parameters
    ----------
    prediction : ndarray, shape (row,) or (row, class)
        Probabilities; without classes, those of class 1 of two.
    """
    return prediction.argmax(axis=1) if prediction.ndim == 2 else (prediction > 0.5).astype(int)


METRICS = {
    "log_loss": Metric(True, lambda predicted, true: metrics.log_loss(true, predicted)),
    # one minus the AUC
    "auc": Metric(True, lambda predicted, true: 1 - float(metrics.auc(true == 1, predicted))),
    "error_rate": Metric(True, lambda predicted, true: metrics.error_rate(true, decide(predicted))),
    "rmse": Metric(False, lambda predicted, true: metrics.rmse(true, predicted.astype(float))),
}


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

    Raises
    ------
    UnknownNameError
        For a metric that is not in `METRICS`.
    """
    check_known("metric", [metric], METRICS)
    return np.array([METRICS[metric].compute(p, labels) for p in predictions])
