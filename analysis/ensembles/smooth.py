"""Log-loss and RMSE of all candidates at once."""

import numpy as np

from analysis.ensembles.candidates import Candidates, PlainMean
from analysis.ensembles.metrics import true_class_probability
from collection import metrics

PUBLISHED_LEAST = 1e-15  # TabRepo's log-loss clips probabilities to this and one minus this
FACTORS = 8  # probabilities multiplied before a logarithm is taken; ε ** 8 is no underflow


def clipped_true_probability(
    predictions: np.ndarray, labels: np.ndarray, published: bool
) -> np.ndarray:
    """Return each config's probability of the true class, shape (config, row).

    Clipped as for the log-loss, or where the published code does. Like that, this clips configs,
    not their mean, which differs from clipping the mean by so much at most.
    """
    true = true_class_probability(predictions, labels, predictions.ndim == 3)
    return metrics.clip_probability(true, PUBLISHED_LEAST if published else metrics.EPS)


class LogLossCandidates(Candidates):
    """Log-losses: logarithms of products of probabilities, a few rows at a time.

    Parameters
    ----------
    mean : PlainMean or PublishedMean
        Of each row's probability of its class, already clipped.
    labels : ndarray, shape (row,)
    """

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        super().__init__(mean, labels)
        configs, rows = mean.predictions.shape
        self.padding = -rows % FACTORS
        padded = np.ones((configs, rows + self.padding))
        padded[:, :rows] = mean.predictions
        self.factors = np.ascontiguousarray(
            padded.reshape(configs, -1, FACTORS).transpose(2, 0, 1))
        self.total = np.zeros((FACTORS, self.factors.shape[2]))
        self.product, self.sum = np.empty((2, *self.factors.shape[1:]))

    def bounds(self) -> np.ndarray:
        """Return a lower bound of each candidate's log-loss."""
        np.add(self.factors[0], self.total[0], out=self.product)
        for factor, total in zip(self.factors[1:], self.total[1:], strict=True):
            self.product *= np.add(factor, total, out=self.sum)
        rows = len(self.labels)
        logs = np.log(self.product, out=self.product).sum(axis=1)
        logs -= (rows + self.padding) * np.log(self.mean.count + 1)
        return -logs / rows - self.noise

    def error(self, config: int) -> float:
        """Return a candidate's log-loss."""
        return -np.log(self.mean.with_one(config)).mean()

    def add(self, config: int) -> None:
        """Pick a config."""
        super().add(config)
        self.total += self.factors[:, config]


class RmseCandidates(Candidates):
    """RMSEs: squared lengths of sums of residuals, from inner products."""

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        super().__init__(mean, labels)
        self.residual = mean.predictions - labels
        self.squares = np.einsum("cr,cr->c", self.residual, self.residual)
        self.inner = np.zeros(len(self.residual))  # with the sum of the picked residuals
        self.length = 0.0  # squared, of that sum
        self.size = np.abs(mean.predictions).max()

    def bounds(self) -> np.ndarray:
        """Return a lower bound of each candidate's RMSE."""
        terms = self.length + self.squares + 2 * np.abs(self.inner)
        square = self.length + self.squares + 2 * self.inner - 1e-12 * terms
        scale = np.sqrt(len(self.labels)) * (self.mean.count + 1)
        return np.sqrt(np.maximum(square, 0)) / scale - self.noise * self.size

    def error(self, config: int) -> float:
        """Return a candidate's RMSE."""
        return metrics.rmse(self.labels, self.mean.with_one(config))

    def add(self, config: int) -> None:
        """Pick a config."""
        super().add(config)
        self.length += 2 * self.inner[config] + self.squares[config]
        self.inner += self.residual @ self.residual[config]
