"""Ensembles that are not picked one by one: equal weights, the single best config, stacking.

Stacking finds non-negative linear weights, shrunk towards equal ones by a penalty.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls
from sklearn.model_selection import KFold, StratifiedKFold

from analysis.ensembles.metrics import METRICS, measure_errors
from analysis.ensembles.registry import Ensemble, ensembler, from_weights

FOLDS = 5
PENALTIES = 10.0 ** np.arange(-5, 3)  # relative to the configs' mean square


@ensembler("equal_weights")
def weigh_equally(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0,
                  seed: int = 0) -> Ensemble:
    """Give every config the same weight."""
    weights = np.full(len(predictions), 1 / len(predictions))
    return from_weights(weights, predictions, labels, METRICS[metric].compute)


@ensembler("single_best")
def keep_best(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0,
              seed: int = 0) -> Ensemble:
    """Give all weight to the config whose error is lowest; the first of equal ones.

    This is tuning without an ensemble (TabRepo, Section 4).
    """
    errors = measure_errors(predictions, labels, metric)
    best = int(errors.argmin())
    return Ensemble(np.eye(len(errors))[best], np.array([best]), errors[[best]])


@ensembler("stacking")
def stack(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0,
          seed: int = 0) -> Ensemble:
    """Weigh configs by least squares on the labels, the penalty chosen by cross-validation.

    After Breiman 1996, Stacked regressions, with a ridge towards equal weights.
    Weights minimise |Y − Σ w P|² + λ |w − 1/configs|² under w ≥ 0 (Y: the labels, or one column
    per class) and are then scaled to add up to 1, so that the result is a probability again. λ is
    the one whose predictions of left-out rows have the lowest error.
    """
    configs = len(predictions)
    values = np.asarray(predictions, float)
    target = labels.astype(float) if values.ndim == 2 else np.eye(values.shape[2])[labels]
    left_out = np.empty((len(PENALTIES), *values.shape[1:]))
    for rest, rows in held_out_folds(labels, METRICS[metric].of_classes, seed):
        weights = _solve(values[:, rest].reshape(configs, -1), target[rest].ravel())
        left_out[:, rows] = np.tensordot(weights, values[:, rows], 1)
    errors = [METRICS[metric].compute(p, labels) for p in left_out]
    weights = _solve(values.reshape(configs, -1), target.ravel())[int(np.argmin(errors))]
    return from_weights(weights, predictions, labels, METRICS[metric].compute)


def held_out_folds(labels: np.ndarray, of_classes: bool,
                   seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows kept and the rows left out of each fold, as positions.

    Shuffled; stratified by class where every class has a row per fold. Never more folds than rows.
    """
    stratify = of_classes and np.unique(labels, return_counts=True)[1].min() >= FOLDS
    splitter = (StratifiedKFold if stratify else KFold)(
        min(FOLDS, len(labels)), shuffle=True, random_state=seed)
    yield from splitter.split(labels, labels)


def _solve(flat: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return weights, shape (penalty, config), each adding up to 1."""
    configs = len(flat)
    squares, products = flat @ flat.T, flat @ target
    size = squares.trace() / configs or 1.0
    weights = np.empty((len(PENALTIES), configs))
    for row, penalty in zip(weights, PENALTIES * size, strict=True):
        root = cholesky(squares + penalty * np.eye(configs), lower=True)
        shrunk = solve_triangular(root, products + penalty / configs, lower=True)
        row[:], _ = nnls(root.T, shrunk, maxiter=100 * configs)
        row[:] = row / row.sum() if row.any() else 1 / configs
    return weights
