"""Who beats whom: wins of methods over each other, per task."""

import numpy as np

from analysis.leaderboards.results import Results


def task_wins(results: Results) -> np.ndarray:
    """Return the share of each task's folds that each method wins against each other.

    Returns
    -------
    ndarray of float, shape (task, method, method)
        Row over column; equal errors count half, so that an entry and its mirror sum to 1. A
        method against itself is 0.5.
    """
    wins = np.zeros((len(results.tasks), len(results.methods), len(results.methods)))
    for task, weight, error in zip(results.task, results.weight, results.error, strict=True):
        below = error[:, None] < error[None, :]
        wins[task] += weight * (0.5 + 0.5 * below - 0.5 * below.T)
    return wins
