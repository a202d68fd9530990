"""What each metric offers to greedy selection: bounds of all errors, exact ones of few.

A candidate is the ensemble with one more config picked. Log-losses and RMSEs of all are worked out
at once. Where that takes long, the errors of all candidates are bounded cheaply; only those that
can be the best are worked out exactly.

The mean of the picked predictions is kept in two ways: exactly, and in the published arithmetic,
which keeps a running mean that it scales at every pick, and multiplies 4-byte predictions by a
4-byte number. Both move the last digits, which decides between configs whose errors are equal but
for those.
"""

import numpy as np

from analysis.ensembles.metrics import decide
from collection.containers import metrics

BITS = 15  # of a bin: with the label, a number of two bytes, which are sorted fastest
PUBLISHED_BITS = 23  # of a score in the published AUC: those of a 4-byte number between 1 and 2
ROUNDED = 1e-12  # by how much bounds may be off
PUBLISHED_LEAST = 1e-15  # TabRepo's log-loss clips probabilities to this and one minus this
BLOCK = 2**16  # numbers worked on at a time, so that they stay in the processor's cache
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

    def with_one(self, config: int | slice | np.ndarray, rows: slice | np.ndarray = slice(None)):
        """Return the mean if `config` were picked next, on some rows.

        With arrays of configs and rows, of equal length, a value (or row of classes) for each; with
        a slice of configs, the mean with each in turn.
        """
        return (self.total[rows] + self.predictions[config, rows]) / (self.count + 1)

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

    def with_one(self, config: int | slice | np.ndarray, rows: slice | np.ndarray = slice(None)):
        """Return the mean if `config` were picked next; several classes add up to 1 again."""
        mean = self.scaled[rows] + (1.0 / float(self.count + 1)) * self.predictions[config, rows]
        if self.predictions.ndim == 3:
            mean /= mean.sum(axis=1)[:, np.newaxis]
        return mean

    def add(self, config: int) -> None:
        """Pick a config."""
        super().add(config)
        n = self.count
        self.mean *= (n - 1) / n
        self.mean += self.predictions[config] / n
        self.scaled[:] = (n / float(n + 1)) * self.mean


class Candidates:
    """The ensemble so far, and the errors it would have with each config added.

    What is by a metric has ``bounds()``: a lower bound of each candidate's error, shape (config,).

    Parameters
    ----------
    mean : PlainMean or PublishedMean
        The arithmetic of the exact errors.
    labels : ndarray, shape (row,)
    """

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        self.mean, self.labels = mean, labels
        self.found = np.empty(0)  # what bounds were last, where they are the errors themselves

    def error(self, config: int) -> float:
        """Return a candidate's exact error, once `bounds` has been called."""
        return self.found[config]

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


class ErrorRateCandidates(Candidates):
    """Error rates, exact for all: only rows that a config can still turn are looked at.

    Margins are sums of 4-byte numbers; where one is too close to 0 for them to tell, that row of
    that candidate is decided by the exact mean.
    """

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        super().__init__(mean, labels)
        self.lead = _leads(mean.predictions, labels)
        self.total = np.zeros(self.lead.shape[:2])
        flat = self.lead.reshape(len(labels), -1)
        self.least, self.most = flat.min(axis=1), flat.max(axis=1)

    def bounds(self) -> np.ndarray:
        """Return each candidate's error rate."""
        unsure = ROUNDING * (self.mean.count + 1)
        margin = self.total.max(axis=1)
        sure = margin + self.most < -unsure
        right = np.full(self.lead.shape[2], np.count_nonzero(sure))
        open_rows = np.flatnonzero(~sure & (margin + self.least <= unsure))
        step = max(1, BLOCK // self.lead[0].size)
        for start in range(0, len(open_rows), step):
            right += self._right(open_rows[start:start + step], unsure)
        self.found = 1 - right / len(self.labels)
        return self.found

    def _right(self, rows: np.ndarray, unsure: float) -> np.ndarray:
        """Return how many of some rows each candidate gets right."""
        lead = self.lead[rows]
        lead += self.total[rows, :, None].astype(np.float32)
        margin = lead.max(axis=1) if lead.shape[1] > 1 else lead[:, 0]
        right = (margin < -unsure).sum(axis=0)
        near, configs = np.nonzero(np.abs(margin) <= unsure)
        if len(near):
            decided = decide(self.mean.with_one(configs, rows[near]))
            right += np.bincount(configs[decided == self.labels[rows[near]]], minlength=len(right))
        return right

    def add(self, config: int) -> None:
        """Pick a config."""
        super().add(config)
        self.total += self.lead[:, :, config]


def _leads(predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the lead of each wrong class over the true one, shape (row, wrong class, config)."""
    if predictions.ndim == 2:
        lead = (predictions.T - 0.5) * np.where(labels == 1, -1, 1)[:, None]
        return np.ascontiguousarray(lead[:, None], np.float32)
    configs, rows, classes = predictions.shape
    by_row = np.ascontiguousarray(predictions.transpose(1, 2, 0), np.float32)
    true = by_row[np.arange(rows), labels]
    wrong = np.arange(classes)[None] != labels[:, None]
    return by_row[wrong].reshape(rows, classes - 1, configs) - true[:, None]


def clipped_true_probability(predictions: np.ndarray, labels: np.ndarray,
                             published: bool) -> np.ndarray:
    """Return each config's probability of the true class, shape (config, row).

    Clipped as for the log-loss, or where the published code does. Like that, this clips configs,
    not their mean, which differs from clipping the mean by so much at most.
    """
    true = (predictions[:, np.arange(len(labels)), labels] if predictions.ndim == 3 else
            np.where(labels == 1, predictions, 1 - predictions))
    return metrics.clip_probability(true, PUBLISHED_LEAST if published else metrics.EPS)


class LogLossCandidates(Candidates):
    """Log-losses, exact for all: `mean` is of each row's probability of its class, clipped."""

    def bounds(self) -> np.ndarray:
        """Return each candidate's log-loss."""
        self.found = -np.log(self.mean.with_one(slice(None))).mean(axis=1)
        return self.found


class RmseCandidates(Candidates):
    """RMSEs, exact for all."""

    def bounds(self) -> np.ndarray:
        """Return each candidate's RMSE."""
        self.found = np.sqrt(np.square(self.mean.with_one(slice(None)) - self.labels).mean(axis=1))
        return self.found


def published_steps(scores: np.ndarray) -> np.ndarray:
    """Return scores as the published AUC sees them: cut to [0, 1], in steps of 2⁻²³."""
    shifted = scores.astype(np.float32)
    shifted += 1
    np.clip(shifted, 1, 2 - 2.0**-PUBLISHED_BITS, out=shifted)
    steps = shifted.view(np.uint32)
    steps &= 2**PUBLISHED_BITS - 1
    return steps


class AucCandidates(Candidates):
    """1 − AUC: rows sorted into bins, every pair within a bin taken to be in the right order."""

    def __init__(self, mean: PlainMean, labels: np.ndarray):
        super().__init__(mean, labels)
        self.positive = labels == 1
        positives = int(self.positive.sum())
        self.pairs = positives * (len(labels) - positives)
        self.first_places = positives * (positives - 1) / 2
        self.places = np.arange(len(labels), dtype=float)
        self.published = isinstance(mean, PublishedMean)
        self.steps = np.empty(0)

    def bounds(self) -> np.ndarray:
        """Return a lower bound of each candidate's 1 − AUC."""
        means = self.mean.with_one(slice(None))
        if self.published:
            self.steps = published_steps(means)
            bins = (self.steps >> (PUBLISHED_BITS - BITS)).astype(np.uint16)
        else:
            bins = (means * (2**BITS - 1)).astype(np.uint16)
        bins <<= 1
        bins |= self.positive  # in a bin, the positive rows come last
        bins.sort(axis=1, kind="stable")  # a radix sort
        bins &= 1
        right = bins.astype(float) @ self.places - self.first_places
        return 1 - right / self.pairs - ROUNDED

    def error(self, config: int) -> float:
        """Return a candidate's 1 − AUC, once `bounds` has been called."""
        scores = self.steps[config] if self.published else self.mean.with_one(config)
        return 1 - float(metrics.auc(self.positive, scores))
