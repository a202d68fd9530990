"""What an ensemble can be made of, or a message that says what is wrong.

Predictions and labels that fit together, and the configs that a budget of training time pays for.
"""

import numpy as np

from analysis.ensembles.metrics import METRICS
from collection.project.naming import check_known

SUM_TOLERANCE = 0.01  # of a row's probabilities: those stored as 2-byte numbers are not exact


class PredictionError(ValueError):
    """Predictions or labels that no ensemble can be made of; the message says which and why."""


class BudgetError(ValueError):
    """A budget that does not pay for a single config."""


def check_inputs(predictions: np.ndarray, labels: np.ndarray,
                 metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and labels as arrays, once they have been found to be usable.

    Parameters
    ----------
    predictions : ndarray, shape (config, row) or (config, row, class)
        Probabilities, or numbers for ``"rmse"``. Two classes may come as two columns; the second
        is kept.
    labels : ndarray, shape (row,)
        Class numbers from 0, or numbers.
    metric : str
        A name in `METRICS`.

    Raises
    ------
    PredictionError
        For shapes that do not fit, predictions that are NaN or infinite, probabilities outside
        [0, 1] or that do not add up to 1, labels that are not class numbers or NaN, and an AUC
        that is not defined (more than two classes, or one class only).
    UnknownNameError
        For an unknown metric.
    """
    check_known("metric", [metric], METRICS)
    predictions, labels = np.asarray(predictions), np.asarray(labels)
    _check_shapes(predictions, labels)
    _check_finite(predictions)
    if not METRICS[metric].of_classes:
        _check_numbers(predictions, labels)
        return predictions, labels.astype(float)
    labels = _check_labels(labels, predictions.shape[2] if predictions.ndim == 3 else 2)
    _check_probabilities(predictions)
    if predictions.ndim == 3 and predictions.shape[2] == 2:
        predictions = predictions[:, :, 1]
    if metric == "auc":
        _check_two_classes(predictions, labels)
    return predictions, labels


def _check_shapes(predictions: np.ndarray, labels: np.ndarray) -> None:
    if predictions.ndim not in (2, 3) or labels.ndim != 1:
        raise PredictionError("Predictions have the shape (config, row) or (config, row, class), "
                              f"labels (row,); these have {predictions.shape}, {labels.shape}.")
    if 0 in predictions.shape:
        raise PredictionError(f"There is nothing to choose from: predictions of the shape "
                              f"{predictions.shape}.")
    if predictions.shape[1] != len(labels):
        raise PredictionError(f"Predictions are of {predictions.shape[1]} rows, but there are "
                              f"{len(labels)} labels.")


def _check_finite(predictions: np.ndarray) -> None:
    sums = predictions.sum(axis=tuple(range(1, predictions.ndim)), dtype=float)
    if not np.isfinite(sums).all():
        wrong = ~np.isfinite(predictions).all(axis=tuple(range(1, predictions.ndim)))
        raise PredictionError(f"{wrong.sum()} of {len(wrong)} configs have predictions that are "
                              f"NaN or infinite, the first at position {wrong.argmax()}; leave "
                              "them out, or let a fallback config stand in.")


def _check_probabilities(predictions: np.ndarray) -> None:
    if predictions.min() < 0 or predictions.max() > 1:
        config = int(np.argmax(((predictions < 0) | (predictions > 1)).reshape(
            len(predictions), -1).any(axis=1)))
        low, high = predictions[config].min(), predictions[config].max()
        raise PredictionError(f"Probabilities are between 0 and 1; the config at position {config} "
                              f"has {low:g} to {high:g}.")
    if predictions.ndim == 3:
        off = np.abs(predictions @ np.ones(predictions.shape[2], predictions.dtype) - 1)
        if off.max() > SUM_TOLERANCE:
            config, row = np.unravel_index(off.argmax(), off.shape)
            raise PredictionError("The probabilities of a row's classes add up to 1; those of the "
                                  f"config at position {config} on row {row} add up to "
                                  f"{predictions[config, row].sum():g}.")


def _check_labels(labels: np.ndarray, classes: int) -> np.ndarray:
    """Return class numbers as integers."""
    if labels.dtype.kind not in "biuf":
        raise PredictionError(f"Labels must be integer codes; got {labels.dtype}.")
    if not np.isin(labels, np.arange(classes)).all():
        raise PredictionError(f"Labels are class numbers from 0 to {classes - 1} here; found "
                              + ", ".join(f"{v:g}" for v in np.unique(labels)[:10]) + ".")
    return labels.astype(np.int64)


def _check_numbers(predictions: np.ndarray, labels: np.ndarray) -> None:
    if predictions.ndim != 2:
        raise PredictionError("RMSE is of one number per row, predictions (config, row); these "
                              f"have the shape {predictions.shape}.")
    if labels.dtype.kind not in "biuf" or not np.isfinite(labels).all():
        raise PredictionError("Labels of a regression are finite numbers.")


def _check_two_classes(predictions: np.ndarray, labels: np.ndarray) -> None:
    if predictions.ndim == 3:
        raise PredictionError(f"AUC is of two classes; these are {predictions.shape[2]}. "
                              "Choose log_loss or error_rate.")
    if labels.min() == labels.max():
        raise PredictionError(f"AUC needs rows of both classes; all are of class {labels[0]}.")


def affordable(train_times: np.ndarray, budget: float) -> int:
    """Return how many configs, in the order given, a budget pays for.

    Parameters
    ----------
    train_times : ndarray, shape (config,)
        Seconds each.
    budget : float
        Seconds; the running sum of the times stays strictly below it (TabRepo's published code).

    Raises
    ------
    BudgetError
        If the first config reaches the budget.
    ValueError
        If times are NaN or negative.
    """
    times = np.asarray(train_times, float)
    if not (times >= 0).all():
        raise ValueError(f"{(~(times >= 0)).sum()} training times are NaN or negative, the first "
                         f"at position {np.argmin(times >= 0)}.")
    paid = int((np.cumsum(times) < budget).sum())
    if not paid:
        raise BudgetError(f"A budget of {budget:g} s is used up by the first config, which takes "
                          f"{times[0]:g} s; the cheapest takes {times.min():g} s. Raise the "
                          "budget, or evaluate a fallback config instead.")
    return paid
