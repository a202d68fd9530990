"""Boosted trees and a network, which stop when rows that they watch get no better, or time is up.

Boosting watches the rows that its bag holds out, as AutoGluon's models and so TabRepo's do: its
out-of-fold predictions are then a little too good, because the number of rounds was chosen on
them. A learner with ``watches = "inner"`` watches a part of its own training rows instead, as does
any that gets no others.
"""

import copy
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from collection.learners.learner import SEED
from collection.learners.modern import categorical_of, one_torch_thread
from collection.learners.sklearn_versions import EitherKind
from collection.project.requirements import library

INNER = 8  # one row in so many is watched where the bag's are not
ROUNDS, EPOCHS = 10_000, 500  # at most, as in AutoGluon


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

    def _settings_of(self, numbers: dict, two: dict, more: dict) -> dict[str, object]:
        """Return the settings that suit what is predicted: numbers, two classes, or more."""
        if self.regression:
            return numbers
        return two if len(self.classes_) <= 2 else {**more, "num_class": len(self.classes_)}

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
    X, X_watched, y, y_watched = train_test_split(X, y, test_size=n_watched, stratify=strata,
                                                  random_state=SEED)
    return (X, y), (X_watched, y_watched)


class LightGBM(EarlyStopped):
    """LightGBM; categories as they are."""

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        lightgbm = library("lightgbm")
        objective = self._settings_of(
            {"objective": "regression", "metric": "rmse"},
            {"objective": "binary", "metric": "binary_logloss"},
            {"objective": "multiclass", "metric": "multi_logloss"})
        settings = {**self.space, **objective, "verbose": -1, "num_threads": 1,
                    "seed": SEED, "deterministic": True, "force_row_wise": True}
        rows = lightgbm.Dataset(plainly_named(X), y)
        self.model_ = lightgbm.Booster(settings, rows)
        self.model_.add_valid(rows.create_valid(plainly_named(watch.X), watch.y), "watched")
        for step in range(1, ROUNDS + 1):
            at_end = self.model_.update()  # no split is left that gains
            if watch.is_over(step, self.model_.eval_valid()[0][2]) or at_end:
                break

    def _say(self, X) -> np.ndarray:
        return self.model_.predict(plainly_named(X), num_iteration=self.best_step_, num_threads=1)


class XGBoost(EarlyStopped):
    """XGBoost; categories as they are, or one column each (``enable_categorical``)."""

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        xgboost = library("xgboost")
        objective = self._settings_of(
            {"objective": "reg:squarederror", "eval_metric": "rmse"},
            {"objective": "binary:logistic", "eval_metric": "logloss"},
            {"objective": "multi:softprob", "eval_metric": "mlogloss"})
        settings = {**self.space, **objective, "nthread": 1, "seed": SEED}
        del settings["enable_categorical"]
        rows, watched = self._matrix(X, y), self._matrix(watch.X, watch.y)
        self.model_ = xgboost.Booster(settings, [rows, watched])
        for step in range(1, ROUNDS + 1):
            self.model_.update(rows, step - 1)
            told = self.model_.eval(watched, "watched", step - 1)
            if watch.is_over(step, float(told.rpartition(":")[2])):
                break

    def _matrix(self, X, y: np.ndarray | None = None):
        return library("xgboost").DMatrix(plainly_named(X), y, nthread=1, enable_categorical=True)

    def _say(self, X) -> np.ndarray:
        return self.model_.predict(self._matrix(X), iteration_range=(0, self.best_step_))


class CatBoost(EarlyStopped):
    """CatBoost; categories as they are."""

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        catboost = library("catboost")
        kind = catboost.CatBoostRegressor if self.regression else catboost.CatBoostClassifier
        self.model_ = kind(
            **self.space, iterations=ROUNDS, random_seed=SEED, thread_count=1, verbose=0,
            allow_writing_files=False, cat_features=categorical_of(X), use_best_model=True,
            loss_function="RMSE" if self.regression else
            "MultiClass" if len(self.classes_) > 2 else "Logloss")
        self.model_.fit(X, y, eval_set=(watch.X, watch.y), early_stopping_rounds=self.patience,
                        callbacks=[SimpleNamespace(
                            after_iteration=lambda info: not watch.is_late())])
        watch.best_step = self.model_.tree_count_

    def _say(self, X) -> np.ndarray:
        if self.regression:
            return self.model_.predict(X, thread_count=1)
        return self.model_.predict_proba(X, thread_count=1)


def plainly_named(X):
    """Return a DataFrame with columns called ``x0``, ``x1``, …: the libraries forbid some names."""
    if isinstance(X, pd.DataFrame):
        return X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
    return X


class NeuralNetTorch(EarlyStopped):
    """Fully connected layers, each followed by its activation and dropout; Adam.

    Unlike AutoGluon's it stops by rows of its own, so that what it says of the bag's held-out rows
    is said of rows that it has not seen in any way. Features are one-hot and standardised.
    """

    watches = "inner"
    patience = 20

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        torch = library("torch")
        self._centre, self._spread = (y.mean(), y.std() or 1.0) if self.regression else (0.0, 1.0)
        with one_torch_thread():
            generator = torch.Generator().manual_seed(SEED)
            torch.manual_seed(SEED)
            self.model_ = self._layers(X.shape[1])
            adam = torch.optim.Adam(self.model_.parameters(), lr=self.space["learning_rate"],
                                    weight_decay=self.space["weight_decay"], fused=True)
            rows, watched = self._tensors(X, y), self._tensors(watch.X, watch.y)
            best = None
            for epoch in range(1, EPOCHS + 1):
                self._train_once(*rows, adam, generator)
                over = watch.is_over(epoch, self._loss_of(*watched))
                if watch.best_step == epoch:
                    best = copy.deepcopy(self.model_.state_dict())
                if over:
                    break
            self.model_.load_state_dict(best)

    def _layers(self, n_features: int):
        nn = library("torch").nn
        width, layers = self.space["hidden_size"], []
        for k in range(self.space["num_layers"]):
            layers.append(nn.Linear(width if k else n_features, width))
            if self.space["use_batchnorm"]:
                layers.append(nn.BatchNorm1d(width))
            layers.append(nn.ELU() if self.space["activation"] == "elu" else nn.ReLU())
            layers.append(nn.Dropout(self.space["dropout_prob"]))
        return nn.Sequential(*layers, nn.Linear(width, 1 if self.regression else
                                                len(self.classes_)))

    def _tensors(self, X, y: np.ndarray) -> tuple:
        torch = library("torch")
        target = (torch.tensor((y - self._centre) / self._spread, dtype=torch.float32)
                  if self.regression else torch.as_tensor(y, dtype=torch.int64))
        return torch.tensor(X, dtype=torch.float32), target

    def _loss(self, said, target):
        functional = library("torch").nn.functional
        if self.regression:
            return functional.mse_loss(said.squeeze(1), target)
        return functional.cross_entropy(said, target)

    def _train_once(self, X, target, adam, generator) -> None:
        """Go through the rows once, in batches; a batch of one row teaches no batch norm."""
        self.model_.train()
        order = library("torch").randperm(len(X), generator=generator)
        for batch in order.split(batch_size(len(X))):
            if len(batch) > 1:
                adam.zero_grad()
                self._loss(self.model_(X[batch]), target[batch]).backward()
                adam.step()

    def _loss_of(self, X, target) -> float:
        self.model_.eval()
        with library("torch").no_grad():
            return self._loss(self.model_(X), target).item()

    def _say(self, X) -> np.ndarray:
        torch = library("torch")
        self.model_.eval()
        with one_torch_thread(), torch.no_grad():
            said = self.model_(torch.tensor(X, dtype=torch.float32)).double()
        if self.regression:
            return said.squeeze(1).numpy() * self._spread + self._centre
        return torch.softmax(said, dim=1).numpy()


def batch_size(rows: int) -> int:
    """Return the rows of a batch: AutoGluon's rule, 32 for hundreds of rows, 64 for thousands."""
    return min(2 ** (3 + int(np.log10(max(rows, 1)))), 512, rows)
