"""What scikit-learn's versions differ in: checking input, and telling what an estimator is."""

from sklearn.base import BaseEstimator, is_classifier, is_regressor

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6 a method
    def validate_data(estimator: BaseEstimator, *data, **settings):
        """Check input as scikit-learn does since 1.6."""
        return estimator._validate_data(*data, **settings)

__all__ = ["EitherKind", "is_of_kind", "validate_data"]


def is_of_kind(estimator: object, kind: str) -> bool:
    """Tell whether an estimator is a "classifier" or a "regressor"; other objects are neither."""
    if not hasattr(estimator, "fit"):
        return False
    try:
        return {"classifier": is_classifier, "regressor": is_regressor}[kind](estimator)
    except (AttributeError, TypeError):  # no tags
        return False


class EitherKind(BaseEstimator):
    """An estimator that is a regressor where its attribute `regression` says so."""

    @property
    def _estimator_type(self) -> str:  # until 1.5
        return "regressor" if self.regression else "classifier"

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.regression else "classifier"
        tags.classifier_tags = None if self.regression else ClassifierTags()
        tags.regressor_tags = RegressorTags() if self.regression else None
        tags.target_tags.required = True
        return tags
