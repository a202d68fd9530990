"""Rows left out in turn, so that what was fitted on the others can be judged on them."""

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold


def held_out_folds(
    labels: np.ndarray, of_classes: bool, folds: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows kept and the rows left out of each fold, as positions.

    Shuffled; stratified by class where every class has a row per fold. Never more folds than rows.
    """
    stratify = of_classes and np.unique(labels, return_counts=True)[1].min() >= folds
    folds = min(folds, len(labels))
    splitter = (StratifiedKFold if stratify else KFold)(folds, shuffle=True, random_state=seed)
    yield from splitter.split(labels, labels)
