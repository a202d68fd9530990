"""What is stored of one task: errors and times of all configs, predictions on request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Predictions(NamedTuple):
    """Predictions of some configs on one task.

    Attributes
    ----------
    valid, test : ndarray, shape (config, row) or (config, row, class)
    valid_labels, test_labels : ndarray, shape (row,)
    """

    valid: np.ndarray
    valid_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


@dataclass(frozen=True)
class TaskRecord:
    """One task (a dataset's fold) and all configs on it.

    Attributes
    ----------
    dataset : str
    fold : int
    metric : str
        A name in `analysis.ensembles.METRICS`.
    valid_error, test_error : ndarray of float, shape (config,)
        Lower is better.
    train_time, infer_time : ndarray of float, shape (config,)
        Seconds; inference of all test rows, or per row, the same for all.
    load : callable
        From positions of configs to their `Predictions`, in that order; no others are read.
    """

    dataset: str
    fold: int
    metric: str
    valid_error: np.ndarray
    test_error: np.ndarray
    train_time: np.ndarray
    infer_time: np.ndarray
    load: Callable[[np.ndarray], Predictions]


def check_records(records: Sequence[TaskRecord]) -> None:
    """Raise `ValueError` unless all tasks have the same configs and none comes twice."""
    if not records:
        raise ValueError("There are no tasks.")
    configs = len(records[0].test_error)
    seen = set()
    for r in records:
        arrays = (r.valid_error, r.test_error, r.train_time, r.infer_time)
        if any(np.shape(a) != (configs,) for a in arrays):
            raise ValueError(f"{r.dataset}, fold {r.fold}: errors and times of {configs} configs, "
                             "as on the first task, are expected; found the shapes "
                             f"{[np.shape(a) for a in arrays]}.")
        if (r.dataset, r.fold) in seen:
            raise ValueError(f"{r.dataset}, fold {r.fold} comes twice.")
        seen.add((r.dataset, r.fold))


def fold_weights(records: Sequence[TaskRecord]) -> np.ndarray:
    """Return one over the number of folds of each task's dataset, shape (task,)."""
    names = np.array([r.dataset for r in records])
    _, place, counts = np.unique(names, return_inverse=True, return_counts=True)
    return 1 / counts[place]
