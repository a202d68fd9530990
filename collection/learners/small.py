"""The baselines of PMLBmini as its authors ran them (Section 3.2, Tables 3 and 4)."""

import tempfile

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from collection.learners.learner import SEED
from collection.learners.sklearn_versions import EitherKind
from collection.project.requirements import library

PENALTIES = (0.5, 0.1, 0.02, 0.004)


class NestedLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression with an L2 penalty chosen by the deviance of a nested cross-validation.

    The objective is the sum of log-losses plus λ/2·|w|², the intercept free, of features scaled to
    [0, 1] on the rows that it is fitted on: scikit-learn's with ``C = 1/λ``. Of equal deviances the
    first penalty wins.

    Parameters
    ----------
    penalties : tuple of float
        Values of λ.

    Attributes
    ----------
    best_params_ : dict
        ``lambda``: the penalty chosen.
    deviance_ : ndarray, shape (n_penalties,)
        −2·log-likelihood of held-out rows, summed over the nested folds.
    """

    def __init__(self, penalties: tuple[float, ...] = PENALTIES):
        self.penalties = penalties

    def fit(self, X, y) -> "NestedLogistic":
        """Choose the penalty and fit on all rows."""
        X, y = np.asarray(X, float), np.asarray(y)
        self.classes_ = np.unique(y)
        self.deviance_ = sum(self._deviance(X[fitted], y[fitted], X[held], y[held])
                             for fitted, held in StratifiedKFold(3).split(X, y))
        best = self.penalties[int(np.argmin(self.deviance_))]
        self.best_params_ = {"lambda": best}
        self.model_ = _penalised(best).fit(X, y)
        return self

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        return self.model_.predict_proba(X)

    def predict(self, X) -> np.ndarray:
        """Return the likeliest class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _deviance(self, X, y, X_held, y_held) -> np.ndarray:
        models = (_penalised(penalty).fit(X, y) for penalty in self.penalties)
        return np.array([2 * log_loss(y_held, model.predict_proba(X_held), normalize=False,
                                      labels=self.classes_) for model in models])


def _penalised(penalty: float) -> Pipeline:
    """Return the model of one λ, solved closely: the grid's deviances can be near each other."""
    return make_pipeline(MinMaxScaler(),
                         LogisticRegression(C=1 / penalty, tol=1e-8, max_iter=10_000))


class TwoClassScores(ClassifierMixin, BaseEstimator):
    """A library's model of two classes that gives a number per row and no probabilities.

    Attributes
    ----------
    classes_ : ndarray
    model_ : object
        The library's fitted model.
    """

    def fit(self, X, y) -> "TwoClassScores":
        """Fit on class codes; raises `ValueError` unless there are two classes."""
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(f"{type(self).__name__} is of two classes, not {len(self.classes_)}.")
        self.model_ = self._fitted(np.asarray(X, float), (y == self.classes_[1]).astype(int))
        return self

    def decision_function(self, X) -> np.ndarray:
        """Return a number per row, larger for the second class."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict(np.asarray(X, float)), float)

    def predict(self, X) -> np.ndarray:
        """Return the class of each row, the second where the number is above 1/2."""
        return self.classes_[(self.decision_function(X) > 0.5).astype(int)]


class NativeLightGBM(TwoClassScores):
    """LightGBM by ``lightgbm.train`` without a parameter: Table 4's.

    Its default objective is squared error on the codes 0 and 1. With ``min_data_in_leaf = 20`` it
    does not split fewer than 40 rows.
    """

    def _fitted(self, X, y):
        lightgbm = library("lightgbm")
        quiet = {"verbosity": -1, "num_threads": 1}
        return lightgbm.train(quiet, lightgbm.Dataset(X, label=y, params=quiet))


class Table4XGBoost(TwoClassScores):
    """XGBoost as in Table 4: 2 trees of depth 2 at learning rate 1, and hard labels for scores."""

    def _fitted(self, X, y):
        before_2 = {"base_score": 0.5, "tree_method": "exact"}  # its defaults on few rows
        return library("xgboost").XGBClassifier(
            n_estimators=2, max_depth=2, learning_rate=1, n_jobs=1, **before_2).fit(X, y)


class Table4CatBoost(TwoClassScores):
    """CatBoost as in Table 4: 2 trees of depth 2 at learning rate 1, and hard labels for scores."""

    def _fitted(self, X, y):
        return library("catboost").CatBoostClassifier(
            iterations=2, depth=2, learning_rate=1, random_seed=SEED, thread_count=1,
            verbose=0, allow_writing_files=False).fit(X, y)


LABEL = "the label"


class AutoGluon(EitherKind):
    """AutoGluon's tabular predictor with its preset for quality, as PMLBmini ran it for an hour.

    Parameters
    ----------
    time_limit : float
        Seconds to fit. What comes out depends on it, and on the machine.
    regression : bool
        Whether it predicts numbers (judged by RMSE) instead of classes (by AUC, of more than two
        by log-loss).

    Attributes
    ----------
    classes_ : ndarray
        Of classifiers.
    predictor_ : object
        The library's fitted predictor. Its files are gone when this object is.
    """

    form = "native"

    def __init__(self, time_limit: float = 10, regression: bool = False):
        self.time_limit = time_limit
        self.regression = regression

    def fit(self, X, y) -> "AutoGluon":
        """Fit on features in the native form and class codes or numbers, within the limit."""
        predictor = library("autogluon.tabular").TabularPredictor
        metric = "root_mean_squared_error"
        if not self.regression:
            self.classes_ = np.unique(y)
            metric = "roc_auc" if len(self.classes_) == 2 else "log_loss"
        self.folder_ = tempfile.TemporaryDirectory()
        self.predictor_ = predictor(
            LABEL, eval_metric=metric, path=self.folder_.name, verbosity=0,
            problem_type="regression" if self.regression else None)
        self.predictor_.fit(_frame(X).assign(**{LABEL: np.asarray(y)}), presets="best_quality",
                            time_limit=self.time_limit, num_cpus=1, dynamic_stacking=False)
        return self

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        return self.predictor_.predict_proba(_frame(X))[list(self.classes_)].to_numpy(float)

    def predict(self, X) -> np.ndarray:
        """Return the number predicted for each row, or its likeliest class."""
        if not self.regression:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        check_is_fitted(self)
        return self.predictor_.predict(_frame(X)).to_numpy(float)


def _frame(X) -> pd.DataFrame:
    frame = pd.DataFrame(X)
    return frame.set_axis([f"x{k}" for k in range(frame.shape[1])], axis="columns")
