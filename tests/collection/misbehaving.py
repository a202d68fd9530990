"""Learners that fail in every way one can; classifiers for anchors beyond 20 rows."""

import ctypes
import os
import re
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.naive_bayes import GaussianNB

GOOD_UP_TO = 20  # rows


class Misbehaving(GaussianNB):
    def fit(self, X, y):
        if len(X) > GOOD_UP_TO:
            self.misbehave(len(X))
        return super().fit(X, y)

    def misbehave(self, n_rows: int) -> None:
        raise RuntimeError("I would rather not")


class Stuck(Misbehaving):
    def misbehave(self, n_rows: int) -> None:
        re.match(r"(a+)+$", "a" * 64 + "b")  # hours of C code that never lets go of the interpreter


class Hungry(Misbehaving):
    def misbehave(self, n_rows: int) -> None:
        self.hoard = [np.ones(2**20) for _ in range(4000)]  # 8 MB each, 32 GB in all


class Hoards(GaussianNB):
    """Leaves 200 MB behind in its process after every curve."""

    hoard: ClassVar[list] = []

    def fit(self, X, y):
        if len(X) == 16:
            self.hoard.append(np.ones(25_000_000))
        return super().fit(X, y)


class Exits(Misbehaving):
    def misbehave(self, n_rows: int) -> None:
        if n_rows < 30:
            os.write(2, b"first words\n" * 1000 + b"no such device\n\n")
            os._exit(3)


class Segfaults(Misbehaving):
    def misbehave(self, n_rows: int) -> None:
        if n_rows < 30:
            ctypes.string_at(0)


class SaysItsThreads(GaussianNB):
    """Fails with what the process that fits says of itself."""

    def fit(self, X, y):
        from threadpoolctl import threadpool_info

        raise RuntimeError(f"threads {[pool['num_threads'] for pool in threadpool_info()]}")


class Needs(Misbehaving):
    def misbehave(self, n_rows: int) -> None:
        import no_such_library  # noqa: F401


class Unsorted(GaussianNB):
    """Has its classes, and their columns, the other way round."""

    def fit(self, X, y):
        super().fit(X, y)
        self.names = self.classes_
        self.order = np.argsort(-self.classes_)
        return self

    def predict(self, X):
        return self.names[super().predict_log_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        self.classes_ = self.names
        said = super().predict_proba(X)[:, self.order]
        self.classes_ = self.names[self.order]
        return said


class Overconfident(GaussianNB):
    """Calls numbers probabilities that are none."""

    def predict_proba(self, X):
        return 1.5 * super().predict_proba(X) - 0.25


class Careless(GaussianNB):
    """Changes what it is given, features and targets, when it is fitted and when it predicts."""

    def fit(self, X, y):
        super().fit(X.copy(), y.copy())
        X[:] = 0
        y[:] = 0
        return self

    def predict_proba(self, X):
        said = super().predict_proba(X.copy())
        X[:] = 0
        return said


class TooLarge(RegressorMixin, BaseEstimator):
    """Predicts numbers whose squares are none."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), 1e200)
