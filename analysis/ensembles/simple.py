"""Equal weights, and the single best config."""

import numpy as np

from analysis.ensembles.metrics import METRICS, measure_errors
from analysis.ensembles.registry import Ensemble, ensembler, from_weights


@ensembler("equal_weights", "Equal weights", "the mean of all configs")
def weigh_equally(
    predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0, seed: int = 0
) -> Ensemble:
    """Give every config the same weight."""
    weights = np.full(len(predictions), 1 / len(predictions))
    return from_weights(weights, predictions, labels, METRICS[metric].compute)


@ensembler("single_best", "Single best", "tuning without an ensemble (TabRepo, Section 4)")
def keep_best(
    predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 0, seed: int = 0
) -> Ensemble:
    """Give all weight to the config whose error is lowest; the first of equal ones."""
    errors = measure_errors(predictions, labels, metric)
    best = int(errors.argmin())
    return Ensemble(np.eye(len(errors))[best], np.array([best]), errors[[best]])
