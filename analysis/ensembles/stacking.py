"""Stacking: non-negative linear weights, shrunk towards equal ones by a penalty."""

import numpy as np

from analysis.ensembles.folds import held_out_folds
from analysis.ensembles.metrics import METRICS
from analysis.ensembles.nonnegative import solve_nonnegative
from analysis.ensembles.registry import Ensemble, ensembler, from_weights

PENALTIES = 10.0 ** np.arange(-5, 3)  # relative to the configs' mean square
FOLDS = 5


@ensembler("stacking", "Stacking", "Breiman 1996, Stacked regressions; ridge towards equal weights")
def stack(
    predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0, seed: int = 0
) -> Ensemble:
    """Weigh configs by least squares on the labels, the penalty chosen by cross-validation.

    Weights minimise |Y − Σ w P|² + λ |w − 1/configs|² under w ≥ 0 (Y: the labels, or one column
    per class) and are then scaled to add up to 1, so that the result is a probability again. λ is
    the one whose predictions of left-out rows have the lowest error.
    """
    configs = len(predictions)
    values = np.asarray(predictions, float)
    target = _target(labels, values)
    left_out = np.empty((len(PENALTIES), *values.shape[1:]))
    for rest, rows in held_out_folds(labels, METRICS[metric].of_classes, FOLDS, seed):
        weights = _solve(values[:, rest].reshape(configs, -1), target[rest].ravel())
        left_out[:, rows] = np.tensordot(weights, values[:, rows], 1)
    errors = [METRICS[metric].compute(p, labels) for p in left_out]
    weights = _solve(values.reshape(configs, -1), target.ravel())[int(np.argmin(errors))]
    return from_weights(weights, predictions, labels, METRICS[metric].compute)


def _target(labels: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return what predictions should be: the labels, or one column per class."""
    return labels.astype(float) if values.ndim == 2 else np.eye(values.shape[2])[labels]


def _solve(flat: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return weights, shape (penalty, config), each adding up to 1."""
    configs = len(flat)
    squares, products = flat @ flat.T, flat @ target
    size = squares.trace() / configs or 1.0
    weights = np.empty((len(PENALTIES), configs))
    for row, penalty in zip(weights, PENALTIES * size, strict=True):
        row[:] = solve_nonnegative(squares + penalty * np.eye(configs),
                                   products + penalty / configs)
        row[:] = row / row.sum() if row.any() else 1 / configs
    return weights
