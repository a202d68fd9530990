"""Greedy selection that stops where rows it was not selected on say so.

The published procedure keeps as many picks as minimise the error on the rows they were selected
on: a winner's curse. Here the number of picks is chosen on left-out rows.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from analysis.ensembles.greedy import EQUAL, PROCEDURES, from_picks, open_candidates
from analysis.ensembles.metrics import METRICS
from analysis.ensembles.registry import Ensemble, ensembler
from collection.project.arguments import explained

FOLDS = 5


def held_out_folds(labels: np.ndarray, of_classes: bool,
                   seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows kept and the rows left out of each fold, as positions.

    Shuffled; stratified by class where every class has a row per fold. Never more folds than rows.
    """
    stratify = of_classes and np.unique(labels, return_counts=True)[1].min() >= FOLDS
    splitter = (StratifiedKFold if stratify else KFold)(
        min(FOLDS, len(labels)), shuffle=True, random_state=seed)
    yield from splitter.split(labels, labels)


@explained
def left_out_trajectory(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int,
                        seed: int = 0) -> np.ndarray:
    """Return the error after each pick on rows that the picks were not selected on.

    Parameters
    ----------
    predictions, labels, metric
        As `check_inputs` returns them.
    size : int
        Picks.
    seed : int
        Of the split of the rows into `FOLDS`.

    Returns
    -------
    ndarray of float, shape (pick,)
        Predictions of all left-out rows are pooled; the picks of each fold are its own.
    """
    left_out = np.empty((size, *predictions.shape[1:]))
    counts = np.arange(1, size + 1).reshape(-1, *[1] * (predictions.ndim - 1))
    for rest, rows in held_out_folds(labels, METRICS[metric].of_classes, seed):
        candidates = open_candidates(predictions[:, rest], labels[rest], metric, False)
        order, _ = PROCEDURES["paper"].pick(candidates, size, seed)
        left_out[:, rows] = predictions[:, rows][order].cumsum(axis=0, dtype=float) / counts
    return np.array([METRICS[metric].compute(p, labels) for p in left_out])


@ensembler("cross_fitted")
def select_cross_fitted(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int = 40,
                        seed: int = 0) -> Ensemble:
    """Pick greedily on all rows, as often as left-out rows say."""
    left_out = left_out_trajectory(predictions, labels, metric, size, seed)
    picks = int(np.argmax(left_out <= left_out.min() + EQUAL)) + 1
    candidates = open_candidates(predictions, labels, metric, False)
    order, trajectory = PROCEDURES["paper"].pick(candidates, picks, seed)
    return from_picks(order, trajectory, len(predictions))
