"""Ways to weigh configs, by name, all called alike."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.ensembles.inputs import PredictionError, check_inputs
from collection.project.naming import check_known


class Ensemble(NamedTuple):
    """Weights over configs.

    Attributes
    ----------
    weights : ndarray of float, shape (config,)
        They add up to 1.
    order : ndarray of int, shape (pick,)
        Positions of the configs picked, in order, with repetition. Ensembles that are not picked
        one by one list the configs that have weight, the heaviest first.
    trajectory : ndarray of float, shape (pick,)
        The error on the rows it was selected on after each pick; one number for ensembles that
        are not picked one by one.
    """

    weights: np.ndarray
    order: np.ndarray
    trajectory: np.ndarray


#: Ways to weigh configs: ``fit(predictions, labels, metric, size, seed=seed)`` is an `Ensemble`.
#: Inputs are as `check_inputs` returns them.
ENSEMBLERS: dict[str, Callable[..., Ensemble]] = {}


def ensembler(name: str) -> Callable[[Callable], Callable]:
    """Enter the decorated function in `ENSEMBLERS`."""

    def enter(fit: Callable[..., Ensemble]) -> Callable[..., Ensemble]:
        ENSEMBLERS[name] = fit
        return fit

    return enter


def fit_ensemble(name: str, predictions: np.ndarray, labels: np.ndarray, metric: str,
                 size: int = 40, seed: int = 0) -> Ensemble:
    """Weigh configs by an ensembler.

    Parameters
    ----------
    name : str
        A name in `ENSEMBLERS`.
    predictions : ndarray, shape (config, row) or (config, row, class)
        Of the rows to fit on; labels, metric likewise: see `check_inputs`.
    labels : ndarray, shape (row,)
    metric : str
        A name in `METRICS`.
    size : int
        Picks, for those that pick one by one; the others spend what that many picks cost or do
        not look at it.
    seed : int
        Of what is drawn.

    Raises
    ------
    UnknownNameError, PredictionError
        As `check_inputs` does, and for an unknown ensembler.
    """
    check_known("ensembler", [name], ENSEMBLERS)
    predictions, labels = check_inputs(predictions, labels, metric)
    return ENSEMBLERS[name](predictions, labels, metric, size, seed=seed)


def combine(predictions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sum of predictions, shape (row,) or (row, class).

    Only configs with weight are read, so that predictions may be a memory map.

    Raises
    ------
    PredictionError
        Where there is not one weight a config, 0 or more, or they do not sum to 1.
    """
    weights = np.asarray(weights, float)
    if weights.shape != (len(predictions),):
        raise PredictionError(f"{len(predictions)} configs need as many weights, not an array of "
                              f"shape {weights.shape}.")
    if not (weights >= 0).all():
        raise PredictionError("Weights are 0 or more and sum to 1; one is "
                              f"{weights[~(weights >= 0)][0]:g}.")
    if not np.isclose(weights.sum(), 1):
        raise PredictionError("Weights are 0 or more and sum to 1, not to "
                              f"{weights.sum():g}: divide them by their sum.")
    # One after the other: a matrix product's last digits, which break ties, are a processor's own.
    return sum(weights[k] * np.asarray(predictions[k], float) for k in np.flatnonzero(weights))


def from_weights(weights: np.ndarray, predictions: np.ndarray, labels: np.ndarray,
                 error: Callable[[np.ndarray, np.ndarray], float]) -> Ensemble:
    """Return an ensemble that was not picked one by one."""
    order = np.argsort(-weights, kind="stable")[:np.count_nonzero(weights)]
    return Ensemble(weights, order, np.array([error(combine(predictions, weights), labels)]))
