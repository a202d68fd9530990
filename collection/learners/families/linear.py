"""Penalised linear models: skewed columns by quantile, the others standardised (AutoGluon's)."""

import numpy as np
from scipy.stats import skew
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from collection.learners.learner import SEED
from collection.learners.sklearn_versions import EitherKind

QUANTILES = 1000  # at most, scikit-learn's default
ITERATIONS = 1000


class Linear(EitherKind):
    """Logistic regression, or ridge and lasso regression.

    Parameters
    ----------
    C : float
        Inverse of the penalty's weight.
    penalty : {"L2", "L1"}
        L1 takes one class against the rest each.
    skew_threshold : float or None
        Columns of more absolute skewness are mapped to a normal distribution; None: none is.
    regression : bool
    """

    def __init__(self, C: float = 1.0, penalty: str = "L2", skew_threshold: float | None = 0.99,
                 regression: bool = False):
        self.C = C
        self.penalty = penalty
        self.skew_threshold = skew_threshold
        self.regression = regression

    def fit(self, X, y) -> "Linear":
        """Fit on features without gaps and class codes, or numbers."""
        self.model_ = make_pipeline(self._prepared(X), self._linear(len(y))).fit(X, y)
        if not self.regression:
            self.classes_ = self.model_[-1].classes_
        return self

    def predict(self, X) -> np.ndarray:
        """Return the number predicted for each row, or its likeliest class."""
        return self.model_.predict(X)

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        return self.model_.predict_proba(X)

    def _prepared(self, X) -> ColumnTransformer:
        varies = X.std(axis=0) > 0
        is_skewed = np.zeros(X.shape[1], bool)
        if self.skew_threshold is not None:
            is_skewed[varies] = np.abs(skew(X[:, varies], axis=0)) > self.skew_threshold
        quantiles = QuantileTransformer(n_quantiles=min(len(X), QUANTILES), random_state=SEED,
                                        output_distribution="normal")
        return ColumnTransformer([("skewed", quantiles, is_skewed),
                                  ("other", StandardScaler(), ~is_skewed)])

    def _linear(self, n_rows: int):
        if self.regression:
            return (Ridge(1 / self.C) if self.penalty == "L2" else
                    Lasso(1 / (self.C * n_rows), max_iter=ITERATIONS))
        if self.penalty == "L2":
            return LogisticRegression(C=self.C, max_iter=ITERATIONS)
        return LogisticRegression(C=self.C, max_iter=ITERATIONS, penalty="l1", solver="liblinear",
                                  random_state=SEED)
