import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from collection.learners.families import MAKERS, config_learner
from collection.learners.outputs import ONE_PASS, InvalidOutputError, outputs, two_passes
from collection.learners.registry import CLASSIC, REGISTRY


def _data(seed, n_classes, n_rows=60):
    """Integer features with many ties, so that distances, votes and leaves tie too."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n_rows, 5)).astype(float)
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("learner", CLASSIC, ids=lambda learner: learner.name)
def test_one_pass_gives_what_two_calls_give(learner, n_classes):
    for seed in range(3):
        X, y = _data(seed, n_classes)
        estimator = learner.make(None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(X[:40], y[:40])
        expected = two_passes(estimator, X)
        labels, scores, probabilities = outputs(estimator, X, n_classes)
        np.testing.assert_array_equal(labels, expected[0])
        assert probabilities == expected[2]
        if expected[1] is None:
            assert scores is None
        else:
            last = expected[1] if expected[1].ndim == 1 else expected[1][:, -1]
            np.testing.assert_array_equal(scores[:, -1], last)


def test_every_shortcut_is_of_a_registered_learner():
    registered = [*REGISTRY.values(), *(config_learner(f"{family}_c1") for family in MAKERS)]
    assert set(ONE_PASS) <= {learner.path.rpartition(".")[2] for learner in registered}


@pytest.mark.parametrize(("name", "absent"), [("GaussianNB", 0.0), ("SVM_RBF", -np.inf)])
def test_classes_that_training_lacks_get_a_column(name, absent):
    X, y = _data(0, 3)
    learner = next(c for c in CLASSIC if c.name == name)
    estimator = learner.make(None).fit(X[y != 1], y[y != 1])
    _, scores, _ = outputs(estimator, X, 3)
    assert scores.shape == (len(X), 3)
    assert (scores[:, 1] == absent).all()
    assert np.isfinite(scores[:, [0, 2]]).all()


@pytest.mark.parametrize("name", ["RidgeClassifier", "LDA"])
def test_one_training_class_has_an_error_rate_but_no_scores(name):
    X = np.random.default_rng(0).random((16, 3))
    estimator = REGISTRY[name].make(None).fit(X, np.ones(16, int))
    labels, scores, _ = outputs(estimator, X, 3)
    assert set(labels) == {1} and scores is None


class Reordered(GaussianNB):
    """Names its classes in another order than its probabilities have."""

    def fit(self, X, y):
        super().fit(X, y)
        self.there, self.classes_ = self.classes_, np.roll(self.classes_, 1)
        return self

    def predict(self, X):
        return self.there[self.predict_proba(X).argmax(axis=1)]


class Careful(GaussianNB):
    """Predicts class 1 at a small probability, as where missing it is dear; `least` is which."""

    least = 0.02

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > self.least).astype(int)


class Elsewhere(GaussianNB):
    def predict(self, X):
        return super().predict(X) + 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_that_contradict_the_predictions_are_invalid(n_classes):
    X, y = _data(1, n_classes)
    X[:, 0] += 3 * y
    with pytest.raises(InvalidOutputError, match="contradict its predictions"):
        outputs(Reordered().fit(X, y), X, n_classes)
    with pytest.raises(InvalidOutputError, match="not among its classes_"):
        outputs(Elsewhere().fit(X, y), X, n_classes)


def test_a_threshold_is_no_contradiction():
    X, y = _data(1, 2)
    X[:, 0] += y
    for least in (0.02, 0.5, 0.98):
        model = Careful().fit(X, y)
        model.least = least
        assert outputs(model, X, 2)[1].shape == (60, 2)
