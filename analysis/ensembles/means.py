"""The mean of picked predictions with one more: exactly, and in the published arithmetic.

The published implementation keeps a running mean that it scales at every pick, and multiplies
4-byte predictions by a 4-byte number. Both move the last digits, which decides between configs
whose errors are equal but for those, so both ways are kept.
"""

import numpy as np


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
