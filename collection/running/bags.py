"""Inner bagging: B folds inside the training rows, the matrices of each, the bags' mean.

As in TabRepo (Section 3): a model per inner fold, fitted on the others; a training row's
prediction is that of the one model that has not seen it, a test row's the mean of all. The
matrices of one fold are made once and shared by every learner that is evaluated on it.
"""

from functools import lru_cache

import numpy as np
import pandas as pd

from collection.containers.evaluations import Predictions
from collection.protocol.designs import FORMS, Design
from collection.protocol.encoded import Identity, encode
from collection.protocol.splits import Split
from collection.tasks import Fold, TaskError
from collection.tasks.task import LoadedTask


def inner_parts(task: LoadedTask, fold: Fold, bags: int,
                seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return which of the fold's training rows each bag is fitted on, and which it holds out.

    Parameters
    ----------
    task : LoadedTask
    fold : Fold
    bags : int
        Inner folds, stratified by class; 0: one fit on all training rows, nothing held out.
    seed : int

    Returns
    -------
    list of (fitted, held out)
        Positions in ``fold.train``.

    Raises
    ------
    TaskError
        Where a class has fewer training rows than there are bags.
    """
    rows = np.arange(len(fold.train))
    if not bags:
        return [(rows, rows[:0])]
    from sklearn.model_selection import KFold, StratifiedKFold

    labels = task.labels[fold.train]
    where = f"{task.name}, repeat {fold.repeat}, fold {fold.fold}"
    if task.dataset.is_regression:
        if len(rows) < bags:
            raise TaskError(f"{where}: {len(rows)} training rows, fewer than the {bags} bags.")
        return list(KFold(bags, shuffle=True, random_state=seed).split(rows))
    counts = np.bincount(labels)
    counts[counts == 0] = len(rows)  # a class that given splits leave out altogether
    if counts.min() < bags:
        raise TaskError(f"{where}: class {str(task.dataset.classes[counts.argmin()])!r} has "
                        f"{counts.min()} training row(s), fewer than the {bags} bags.")
    return list(StratifiedKFold(bags, shuffle=True, random_state=seed).split(rows, labels))


class Average:
    """The mean of several models' predictions, row by row, as they come."""

    def __init__(self, n_rows: int):
        self._n_rows = n_rows
        self._sum: np.ndarray | None = None
        self._count = np.zeros(n_rows)
        self._kind, self._labels = "", None

    def add(self, rows: np.ndarray | slice, predictions: Predictions) -> None:
        """Add what one model says of some of the rows."""
        if self._sum is None:
            self._sum = np.zeros((self._n_rows, *predictions.values.shape[1:]))
            self._labels = None if predictions.labels is None else np.zeros(self._n_rows, np.int64)
        self._kind = predictions.kind
        self._sum[rows] += predictions.values
        self._count[rows] += 1
        if self._labels is not None:
            self._labels[rows] = predictions.labels

    def mean(self) -> Predictions:
        """Return the mean; the class of a row that several spoke of is the likeliest by it."""
        values = self._sum / self._count.reshape(-1, *(1,) * (self._sum.ndim - 1))
        if self._labels is None:
            return Predictions(self._kind, values)
        several = self._count > 1
        labels = np.where(several, values.argmax(axis=1), self._labels)
        return Predictions(self._kind, values, labels)


KEEP = 1e9  # bytes of matrices kept for the next learner; beyond that they are made anew


class FoldDesigns:
    """Designs of a fold: per bag, form and scaling, fitted on the bag's rows alone.

    Parameters
    ----------
    task : LoadedTask
    repeat, fold : int
    bags : int
        0: one design, on all training rows.
    seed : int
        Of the bags.

    Attributes
    ----------
    parts : list of (fitted, held out)
        Positions in the fold's training rows, per bag.
    fold : collection.tasks.Fold
    """

    def __init__(self, task: LoadedTask, repeat: int, fold: int, bags: int, seed: int):
        self.fold = task.fold(repeat, fold)
        self.parts = inner_parts(task, self.fold, bags, seed)
        self._encoded = encode(task.dataset)
        self._kept: dict[tuple, Design] = {}
        self._bytes = 0

    def at(self, bag: int, form: str, scaling: str) -> Design:
        """Return a bag's design: features and targets of its rows, of those held out, of test."""
        key = (bag, form, scaling)
        if key in self._kept:
            return self._kept[key]
        fitted, held_out = (self.fold.train[part] for part in self.parts[bag])
        split = Split(fitted, held_out, self.fold.test)
        design = FORMS[form](self._encoded, split, scaling, "no", [len(fitted)]).at(len(fitted))
        size = sum(map(_bytes, design.X))
        if self._bytes + size <= KEEP:
            self._kept[key] = design
            self._bytes += size
        return design


def fold_designs(task: LoadedTask, repeat: int, fold: int, bags: int, seed: int) -> FoldDesigns:
    """Return the designs of a fold; those last asked for are kept in memory."""
    return _fold_designs(Identity(task), repeat, fold, bags, seed)


@lru_cache(maxsize=1)
def _fold_designs(task: Identity, repeat: int, fold: int, bags: int, seed: int) -> FoldDesigns:
    return FoldDesigns(task.value, repeat, fold, bags, seed)


def _bytes(X: np.ndarray | pd.DataFrame) -> int:
    return X.nbytes if isinstance(X, np.ndarray) else int(X.memory_usage(deep=True).sum())
