"""Mixed naive Bayes: categorical features and numeric ones, each by the model that suits them."""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp
from sklearn import naive_bayes
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from collection.learners.sklearn_versions import validate_data


class MixedNB(ClassifierMixin, BaseEstimator):
    """Naive Bayes with `CategoricalNB` for some features and another model for the rest.

    The features being independent given the class, the two models' log-likelihoods add up, the
    class prior counting once (appendix A of the paper). Complement naive Bayes is no likelihood
    and knows no prior: mixed with it, the prior does not count, as in the published runs.

    Parameters
    ----------
    numeric : {"GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB"}
        scikit-learn's model of the other features.
    categorical : sequence of int
        Columns that hold category codes 0, 1, 2, …

    Attributes
    ----------
    classes_ : ndarray
    n_features_in_ : int
    parts_ : list of (columns, fitted naive Bayes)
    """

    def __init__(self, numeric: str = "GaussianNB", categorical: Sequence[int] = ()):
        self.numeric = numeric
        self.categorical = categorical

    def fit(self, X, y) -> "MixedNB":
        """Fit both models.

        Parameters
        ----------
        X : array-like, shape (n_rows, n_features)
        y : array-like, shape (n_rows,)
        """
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        is_category = np.isin(np.arange(X.shape[1]), self.categorical)
        models = ((is_category, naive_bayes.CategoricalNB()),
                  (~is_category, getattr(naive_bayes, self.numeric)()))
        self.parts_ = [(np.flatnonzero(columns), model.fit(X[:, columns], y))
                       for columns, model in models if columns.any()]
        return self

    def predict_joint_log_proba(self, X) -> np.ndarray:
        """Return ln P(class) + ln P(features | class), shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        joint = sum(part.predict_joint_log_proba(X[:, columns]) for columns, part in self.parts_)
        if len(self.parts_) > 1:
            joint -= self.parts_[0][1].class_log_prior_
        return joint

    def predict(self, X) -> np.ndarray:
        """Return the likeliest class of each row."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[joint.argmax(axis=1)]

    def predict_log_proba(self, X) -> np.ndarray:
        """Return the logarithm of `predict_proba`."""
        joint = self.predict_joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def _counts(self) -> bool:
        return self.numeric in ("MultinomialNB", "ComplementNB") or len(self.categorical) > 0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._counts()
        tags.classifier_tags.poor_score = self.numeric != "GaussianNB"
        return tags

    def _more_tags(self) -> dict:  # until 1.5
        return {"requires_positive_X": self._counts(), "poor_score": self.numeric != "GaussianNB"}
