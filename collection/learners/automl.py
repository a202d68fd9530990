"""AutoML behind scikit-learn's interface: AutoGluon, an extra of its own."""

import tempfile

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from collection.learners.requirements import library

LABEL = "the label"


class AutoGluon(ClassifierMixin, BaseEstimator):
    """AutoGluon's tabular predictor with its preset for quality, as PMLBmini ran it for an hour.

    Parameters
    ----------
    time_limit : float
        Seconds to fit. What comes out depends on it, and on the machine.
    presets : str

    Attributes
    ----------
    classes_ : ndarray
    predictor_ : object
        The library's fitted predictor. Its files are gone when this object is.
    """

    form = "native"

    def __init__(self, time_limit: float = 10, presets: str = "best_quality"):
        self.time_limit = time_limit
        self.presets = presets

    def fit(self, X, y) -> "AutoGluon":
        """Fit on features in the native form and class codes, within the limit."""
        predictor = library("autogluon.tabular").TabularPredictor
        self.classes_ = np.unique(y)
        self.folder_ = tempfile.TemporaryDirectory()
        metric = "roc_auc" if len(self.classes_) == 2 else "log_loss"
        self.predictor_ = predictor(LABEL, eval_metric=metric, path=self.folder_.name, verbosity=0)
        self.predictor_.fit(_frame(X).assign(**{LABEL: np.asarray(y)}), presets=self.presets,
                            time_limit=self.time_limit, num_cpus=1, dynamic_stacking=False)
        return self

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        return self.predictor_.predict_proba(_frame(X))[list(self.classes_)].to_numpy(float)

    def predict(self, X) -> np.ndarray:
        """Return the likeliest class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _frame(X) -> pd.DataFrame:
    frame = pd.DataFrame(X)
    return frame.set_axis([f"x{k}" for k in range(frame.shape[1])], axis="columns")
