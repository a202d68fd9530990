"""Predictions of configs that are better or worse, drawn at random."""

import numpy as np

KINDS = ("fine", "coarse", "twins")


def draw_predictions(seed: int, configs: int, rows: int, classes: int, kind: str = "fine"):
    """Return predictions and labels; ``classes=0`` is a regression.

    ``"coarse"`` predictions have few values, as nearest neighbours give: ties everywhere.
    ``"twins"`` come twice.
    """
    rng = np.random.default_rng(seed)
    if not classes:
        labels = rng.normal(size=rows)
        predictions = labels + rng.normal(size=(configs, rows)) * rng.uniform(0.3, 2, (configs, 1))
        if kind == "coarse":
            predictions, labels = np.round(predictions * 2) / 2, np.round(labels)
    else:
        labels = rng.permutation(np.arange(rows) % classes)
        odds = rng.normal(size=(configs, rows, classes)) * rng.uniform(0.5, 2, (configs, 1, 1))
        odds[:, np.arange(rows), labels] += rng.uniform(0.3, 2, (configs, 1))
        predictions = np.exp(odds) / np.exp(odds).sum(axis=-1, keepdims=True)
        if kind == "coarse":
            steps = np.floor(predictions * 4)
            steps[..., -1] += 4 - steps.sum(axis=-1)
            predictions = steps / 4
        if classes == 2:
            predictions = predictions[..., 1]
    if kind == "twins":
        predictions[configs // 2:] = predictions[:configs - configs // 2]
    return predictions.astype(np.float32), labels
