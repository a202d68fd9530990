"""1 − AUC of all candidates at once, from scores in 32,768 bins; exactly for few."""

import numpy as np

from analysis.ensembles.candidates import Candidates, PlainMean, PublishedMean
from collection import metrics

BITS = 15  # of a bin: with the label, a number of two bytes, which are sorted fastest
PUBLISHED_BITS = 23  # of a score in the published AUC: those of a 4-byte number between 1 and 2
ROUNDED = 1e-12  # by how much bounds may be off


def published_steps(scores: np.ndarray) -> np.ndarray:
    """Return scores as the published AUC sees them: cut to [0, 1], in steps of 2⁻²³."""
    shifted = scores.astype(np.float32)
    shifted += 1
    np.clip(shifted, 1, 2 - 2.0**-PUBLISHED_BITS, out=shifted)
    steps = shifted.view(np.uint32)
    steps &= 2**PUBLISHED_BITS - 1
    return steps


def published_area(steps: np.ndarray, positive: np.ndarray) -> float:
    """Return the AUC of `published_steps`, sorted by their lower and then their upper bits."""
    order = np.argsort(steps.astype(np.uint8), kind="stable")
    upper = (steps >> 8).astype(np.uint16).take(order)
    order = order.take(np.argsort(upper, kind="stable"))
    return float(metrics.auc(positive, steps, order))


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
        if self.published:
            self.steps = published_steps(self.mean.with_all())
            bins = (self.steps >> (PUBLISHED_BITS - BITS)).astype(np.uint16)
        else:
            bins = (self.mean.with_all() * (2**BITS - 1)).astype(np.uint16)
        bins <<= 1
        bins |= self.positive  # in a bin, the positive rows come last
        bins.sort(axis=1, kind="stable")  # a radix sort
        bins &= 1
        right = bins.astype(float) @ self.places - self.first_places
        return 1 - right / self.pairs - ROUNDED

    def error(self, config: int) -> float:
        """Return a candidate's 1 − AUC, once `bounds` has been called."""
        if self.published:
            return 1 - published_area(self.steps[config], self.positive)
        return 1 - float(metrics.auc(self.positive, self.mean.with_one(config)))
