"""Boosted trees of three libraries, with early stopping on the rows that a bag holds out."""

import numpy as np
import pandas as pd

from collection.learners.families.early import EarlyStopped, Watch
from collection.learners.learner import SEED
from collection.requirements import library

ROUNDS = 10_000  # at most, as in AutoGluon


class LightGBM(EarlyStopped):
    """LightGBM; categories as they are."""

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        lightgbm = library("lightgbm")
        settings = {**self.space, **self._objective(), "verbose": -1, "num_threads": 1,
                    "seed": SEED, "deterministic": True, "force_row_wise": True}
        rows = lightgbm.Dataset(plainly_named(X), y)
        self.model_ = lightgbm.Booster(settings, rows)
        self.model_.add_valid(rows.create_valid(plainly_named(watch.X), watch.y), "watched")
        for step in range(1, ROUNDS + 1):
            at_end = self.model_.update()  # no split is left that gains
            if watch.is_over(step, self.model_.eval_valid()[0][2]) or at_end:
                break

    def _objective(self) -> dict[str, object]:
        if self.regression:
            return {"objective": "regression", "metric": "rmse"}
        if len(self.classes_) > 2:
            return {"objective": "multiclass", "metric": "multi_logloss",
                    "num_class": len(self.classes_)}
        return {"objective": "binary", "metric": "binary_logloss"}

    def _say(self, X) -> np.ndarray:
        return self.model_.predict(plainly_named(X), num_iteration=self.best_step_, num_threads=1)


class XGBoost(EarlyStopped):
    """XGBoost; categories as they are, or one column each (``enable_categorical``)."""

    def _train(self, X, y: np.ndarray, watch: Watch) -> None:
        xgboost = library("xgboost")
        settings = {**self.space, **self._objective(), "nthread": 1, "seed": SEED}
        del settings["enable_categorical"]
        rows, watched = self._matrix(X, y), self._matrix(watch.X, watch.y)
        self.model_ = xgboost.Booster(settings, [rows, watched])
        for step in range(1, ROUNDS + 1):
            self.model_.update(rows, step - 1)
            told = self.model_.eval(watched, "watched", step - 1)
            if watch.is_over(step, float(told.rpartition(":")[2])):
                break

    def _objective(self) -> dict[str, object]:
        if self.regression:
            return {"objective": "reg:squarederror", "eval_metric": "rmse"}
        if len(self.classes_) > 2:
            return {"objective": "multi:softprob", "eval_metric": "mlogloss",
                    "num_class": len(self.classes_)}
        return {"objective": "binary:logistic", "eval_metric": "logloss"}

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
            allow_writing_files=False, cat_features=categories_of(X), use_best_model=True,
            loss_function="RMSE" if self.regression else
            "MultiClass" if len(self.classes_) > 2 else "Logloss")
        self.model_.fit(X, y, eval_set=(watch.X, watch.y), early_stopping_rounds=self.patience,
                        callbacks=[_Clock(watch)])
        watch.best_step = self.model_.tree_count_

    def _say(self, X) -> np.ndarray:
        if self.regression:
            return self.model_.predict(X, thread_count=1)
        return self.model_.predict_proba(X, thread_count=1)


class _Clock:
    """What CatBoost asks after every round whether to go on."""

    def __init__(self, watch: Watch):
        self._watch = watch

    def after_iteration(self, info) -> bool:
        """Tell whether there is time for another round."""
        return not self._watch.is_late()


def plainly_named(X):
    """Return a DataFrame with columns called ``x0``, ``x1``, …: the libraries forbid some names."""
    if isinstance(X, pd.DataFrame):
        return X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
    return X


def categories_of(X) -> list[str]:
    """Return the names of a DataFrame's categorical columns; none of an array."""
    if not isinstance(X, pd.DataFrame):
        return []
    return [name for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
