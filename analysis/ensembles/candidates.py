"""What every metric offers to greedy selection: bounds of all errors, exact ones of few.

A candidate is the ensemble with one more config picked. Working out all their errors exactly is
what makes the straightforward loop slow. Here each metric bounds the errors of all candidates at
once, cheaply; only those that can be the best are worked out exactly.

The mean of the picked predictions is kept in two ways: exactly, and in the published arithmetic,
which keeps a running mean that it scales at every pick, and multiplies 4-byte predictions by a
4-byte number. Both move the last digits, which decides between configs whose errors are equal but
for those.
"""

from abc import ABC, abstractmethod

import numpy as np

ROUNDING = 5e-7  # relative error of a mean of products of 4-byte numbers, with room to spare


class PlainMean:
    """A mean kept as a sum of 8-byte numbers and a count.

    Parameters
    ----------
    predictions : ndarray, shape (config, row) or (config, row, class)
    """

    def __init__(self, predictions: np.ndarray):
        self.predictions = predictions
        self.total = np.zeros(predictions.shape[1:])
        self.count = 0

    def with_one(self, config: int | np.ndarray, rows: slice | np.ndarray = slice(None)):
        """Return the mean if `config` were picked next, on some rows.

        With arrays of configs and rows, of equal length, a value (or row of classes) for each.
        """
        return (self.total[rows] + self.predictions[config, rows]) / (self.count + 1)

    def with_all(self) -> np.ndarray:
        """Return the mean if each config in turn were picked next, a config each."""
        return (self.total + self.predictions) / (self.count + 1)

    def add(self, config: int) -> None:
        """Pick a config."""
        self.total += self.predictions[config]
        self.count += 1


class PublishedMean(PlainMean):
    """The same mean as the published implementation computes it (AutoGluon 1.4)."""

    def __init__(self, predictions: np.ndarray):
        super().__init__(predictions)
        self.mean = np.zeros(predictions.shape[1:])
        self.scaled = np.zeros(predictions.shape[1:])  # n / (n + 1) times the mean

    def with_one(self, config: int | np.ndarray, rows: slice | np.ndarray = slice(None)):
        """Return the mean if `config` were picked next; several classes add up to 1 again."""
        mean = self.scaled[rows] + (1.0 / float(self.count + 1)) * self.predictions[config, rows]
        if self.predictions.ndim == 3:
            mean /= mean.sum(axis=1)[:, np.newaxis]
        return mean

    def with_all(self) -> np.ndarray:
        """Return the mean if each config in turn were picked next; of one number per row."""
        return self.scaled + (1.0 / float(self.count + 1)) * self.predictions

    def add(self, config: int) -> None:
        """Pick a config."""
        super().add(config)
        n = self.count
        self.mean *= (n - 1) / n
        self.mean += self.predictions[config] / n
        self.scaled[:] = (n / float(n + 1)) * self.mean


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
