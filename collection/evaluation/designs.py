"""The matrices of one fold, made once and shared by every learner that is evaluated on it."""

from functools import lru_cache

import numpy as np
import pandas as pd

from collection.evaluation.bags import inner_parts
from collection.preprocess import FORMS, Design, encode
from collection.preprocess.encoded import Identity
from collection.protocol import Split
from collection.tasks.task import LoadedTask

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
