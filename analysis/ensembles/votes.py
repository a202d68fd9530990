"""Error rates of all candidates at once, from margins: how far the best wrong class is ahead."""

import numpy as np

from analysis.ensembles.candidates import ROUNDING, Candidates, PlainMean
from analysis.ensembles.metrics import decide

BLOCK = 2**16  # numbers worked on at a time, so that they stay in the processor's cache


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
        self.found = np.empty(0)

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
            means = self.mean.with_one(configs, rows[near])
            decided = decide(means, means.ndim == 2)
            right += np.bincount(configs[decided == self.labels[rows[near]]], minlength=len(right))
        return right

    def error(self, config: int) -> float:
        """Return a candidate's error rate, as `bounds` worked it out last."""
        return self.found[config]

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
