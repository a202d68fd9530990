"""What every metric offers to greedy selection: bounds of all errors, exact ones of few.

A candidate is the ensemble with one more config picked. Working out all their errors exactly is
what makes the straightforward loop slow. Here each metric bounds the errors of all candidates at
once, cheaply; only those that can be the best are worked out exactly.
"""

from abc import ABC, abstractmethod

import numpy as np

from analysis.ensembles.means import PlainMean

ROUNDING = 5e-7  # relative error of a mean of products of 4-byte numbers, with room to spare


class Candidates(ABC):
    """The ensemble so far, and the errors it would have with each config added.

    Parameters
    ----------
    mean : PlainMean or PublishedMean
        The arithmetic of the exact errors.
    labels : ndarray, shape (row,)
    """

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        self.mean, self.labels = mean, labels

    @property
    def noise(self) -> float:
        """How far, relatively, the exact arithmetic may be from real numbers."""
        return 1e-12 if type(self.mean) is PlainMean else ROUNDING

    @abstractmethod
    def bounds(self) -> np.ndarray:
        """Return a lower bound of each candidate's error, shape (config,)."""

    @abstractmethod
    def error(self, config: int) -> float:
        """Return a candidate's exact error."""

    def add(self, config: int) -> None:
        """Pick a config."""
        self.mean.add(config)

    def best(self, slack: float) -> dict[int, float]:
        """Return the exact errors of all candidates that may be within `slack` of the lowest."""
        bounds, found, lowest = self.bounds(), {}, np.inf
        for config in np.argsort(bounds, kind="stable"):
            if bounds[config] > lowest + slack:
                break
            found[int(config)] = self.error(config)
            lowest = min(lowest, found[int(config)])
        return found
