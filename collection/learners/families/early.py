"""What families that train step by step share: rows to watch, an end in time, the best step kept.

Boosting watches the rows that its bag holds out, as AutoGluon's models and so TabRepo's do: its
out-of-fold predictions are then a little too good, because the number of rounds was chosen on
them. A learner with ``watches = "inner"`` watches a part of its own training rows instead, as does
any that gets no others.
"""

import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from collection.learners.learner import SEED
from collection.learners.sklearn_versions import EitherKind

INNER = 8  # one row in so many is watched where the bag's are not


@dataclass
class Watch:
    """Rows that a fit watches, until they get no better or time is up.

    Attributes
    ----------
    X : ndarray or DataFrame
    y : ndarray
    end : float
        By the clock; infinite without a limit.
    clock : callable
    patience : int
        Steps without improvement after which it ends.
    best_step : int
        The step that did best, from 1; 0: none yet.
    best_score : float
    ended_by_time : bool
    """

    X: object
    y: np.ndarray
    end: float
    clock: Callable[[], float]
    patience: int
    best_step: int = 0
    best_score: float = np.inf
    ended_by_time: bool = False

    def is_over(self, step: int, score: float) -> bool:
        """Take note of a step's score (lower is better), and tell whether it was the last."""
        if score < self.best_score or not self.best_step:
            self.best_step, self.best_score = step, score
        return step - self.best_step >= self.patience or self.is_late()

    def is_late(self) -> bool:
        """Tell whether time is up, and take note of it."""
        self.ended_by_time = self.clock() > self.end
        return self.ended_by_time


class EarlyStopped(EitherKind):
    """A learner that stops when rows it watches get no better, and keeps its best step.

    Classifiers watch log-loss (AutoGluon's stopping metric for AUC too), regressors the RMSE.

    Parameters
    ----------
    space : dict of str to object
        Hyperparameters by the search space's names.
    regression : bool

    Attributes
    ----------
    time_limit : float or None
        Seconds of the next fit; set it before fitting.
    clock : callable
        That measures them; by default the time that passes.
    classes_ : ndarray
        Of classifiers.
    best_step_ : int
        Rounds or epochs kept: at least one, however short the limit.
    ended_by_time_ : bool
        Whether the limit ended the fit.
    """

    watches = "held_out"
    patience = 30

    def __init__(self, space: dict | None = None, regression: bool = False):
        self.space = space
        self.regression = regression
        self.time_limit, self.clock = None, time.perf_counter

    def fit(self, X, y, held_out=None):
        """Fit on some rows while watching others.

        Parameters
        ----------
        X : ndarray or DataFrame, n_rows rows
        y : ndarray of class codes or numbers
        held_out : (X, y), optional
                Rows to watch; without them, or where the learner wants none, one in eight of `X`,
            which are then not trained on.
        """
        end = np.inf if self.time_limit is None else self.clock() + self.time_limit
        if held_out is None or not len(held_out[1]) or self.watches == "inner":
            (X, y), held_out = hold_out(X, np.asarray(y), not self.regression)
        if not self.regression:
            self.classes_, y = np.unique(y, return_inverse=True)
            held_out = self._known(*held_out)
        watch = Watch(*held_out, end, self.clock, self.patience)
        self._train(X, y, watch)
        self.best_step_, self.ended_by_time_ = watch.best_step, watch.ended_by_time
        return self

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        said = self._say(X)
        return np.column_stack([1 - said, said]) if said.ndim == 1 else said

    def predict(self, X) -> np.ndarray:
        """Return the number predicted for each row, or its likeliest class."""
        if self.regression:
            return self._say(X)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _known(self, X, y) -> tuple:
        """Return the watched rows whose class was trained on, their classes as positions."""
        known = np.isin(y, self.classes_)
        return X[known], np.searchsorted(self.classes_, y[known])

    @abstractmethod
    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        """Fit; `y` are positions in `classes_`, or numbers."""

    @abstractmethod
    def _say(self, X) -> np.ndarray:
        """Return probabilities (of two classes the second's) or numbers."""


def hold_out(X, y: np.ndarray, by_class: bool) -> tuple[tuple, tuple]:
    """Split off one row in eight, by class where every class has two rows or more.

    Returns
    -------
    (X, y), (X, y)
        To train on and to watch.
    """
    n_watched = max(1, len(y) // INNER)
    strata = None
    if by_class:
        counts = np.unique(y, return_counts=True)[1]
        strata = y if counts.min() > 1 and len(counts) <= n_watched else None
    kept, watched = train_test_split(np.arange(len(y)), test_size=n_watched, stratify=strata,
                                     random_state=SEED)
    rows = (lambda part: X.iloc[part]) if hasattr(X, "iloc") else (lambda part: X[part])
    return (rows(kept), y[kept]), (rows(watched), y[watched])
