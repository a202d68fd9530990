import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from collection.learners.mixed import MixedNB

NUMERIC = {m.__name__: m for m in (BernoulliNB, ComplementNB, GaussianNB, MultinomialNB)}


ESTIMATORS = [MixedNB(name) for name in NUMERIC] + [MixedNB(categorical=(0,))]
#: As scikit-learn spares its own ComplementNB: classes that only their sizes tell apart.
SPARED = {"check_classifiers_classes"}


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    if estimator.numeric == "ComplementNB" and check.func.__name__ in SPARED:
        pytest.skip("scikit-learn spares its own ComplementNB this check, too")
    if len(estimator.categorical) and check.func.__name__ == "check_positive_only_tag_during_fit":
        pytest.skip("only its categories cannot be negative, and the check's other features are")
    check(estimator)


def _data():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.column_stack([rng.integers(0, 4, 60), rng.random((60, 2)) + y[:, None] / 3,
                         rng.integers(0, 2, 60)])
    return X, y


@pytest.mark.parametrize("name", NUMERIC)
def test_log_likelihoods_add_up_and_the_prior_counts_once(name):
    X, y = _data()
    y[:20] = 0  # classes of unequal size
    X[:3, 0], X[:3, 3] = range(3), 1
    both = MixedNB(name, categorical=(0, 3)).fit(X, y)
    categories = CategoricalNB().fit(X[:, [0, 3]], y)
    numbers = NUMERIC[name]().fit(X[:, [1, 2]], y)
    prior = np.log(np.bincount(y) / len(y))
    likelihood = categories.predict_joint_log_proba(X[:, [0, 3]]) - prior
    likelihood += numbers.predict_joint_log_proba(X[:, [1, 2]])
    np.testing.assert_allclose(both.predict_joint_log_proba(X), likelihood)
    np.testing.assert_allclose(both.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("name", NUMERIC)
def test_with_one_kind_of_feature_it_is_that_model(name):
    X, y = _data()
    for columns, alone in (((), NUMERIC[name]()), (range(2), CategoricalNB())):
        part = X[:, [1, 2]] if not columns else X[:, [0, 3]]
        mixed = MixedNB(name, categorical=tuple(columns)).fit(part, y)
        np.testing.assert_allclose(mixed.predict_proba(part),
                                   alone.fit(part, y).predict_proba(part))
