import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from collection import metrics


@st.composite
def predictions(draw, every_class=False):
    """True codes, predicted codes and scores with ties, of 2 to 5 classes."""
    n_classes, n_rows = draw(st.integers(2, 5)), draw(st.integers(5, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n_rows)
    if every_class:
        true[:n_classes] = np.arange(n_classes)
    scores = rng.integers(1, 5, (n_rows, n_classes)) / 7
    return true, rng.integers(0, n_classes, n_rows), scores, n_classes


@given(predictions())
@settings(max_examples=50, deadline=None)
def test_error_rate_and_f1_are_scikit_learns(case):
    true, predicted, _, n_classes = case
    assert metrics.error_rate(true, predicted) == pytest.approx(
        1 - reference.accuracy_score(true, predicted))
    assert metrics.weighted_f1(true, predicted, n_classes) == pytest.approx(
        reference.f1_score(true, predicted, average="weighted", zero_division=0))


@given(predictions(every_class=True))
@settings(max_examples=50, deadline=None)
def test_auc_and_log_loss_are_scikit_learns(case):
    true, _, scores, n_classes = case
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    labels = np.arange(n_classes)
    expected = reference.roc_auc_score(
        true, probabilities[:, 1] if n_classes == 2 else probabilities,
        multi_class="ovr", average="weighted", labels=labels)
    assert metrics.weighted_auc(true, probabilities) == pytest.approx(expected)
    assert metrics.log_loss(true, probabilities) == pytest.approx(
        reference.log_loss(true, probabilities, labels=labels))


@given(predictions())
@settings(max_examples=50, deadline=None)
def test_auc_is_the_share_of_pairs_in_order(case):
    true, _, scores, n_classes = case
    total = weight = 0.0
    for c in range(1, 2) if n_classes == 2 else range(n_classes):
        own, rest = scores[true == c, c], scores[true != c, c]
        if len(own) and len(rest):
            pairs = (own[:, None] > rest).mean() + (own[:, None] == rest).mean() / 2
            total, weight = total + pairs * len(own), weight + len(own)
    expected = total / weight if weight and len(np.unique(true)) > 1 else np.nan
    assert metrics.weighted_auc(true, scores) == pytest.approx(expected, nan_ok=True)


def test_auc_in_pieces_is_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 6, 50), rng.random((50, 6)).round(1)
    whole = metrics.weighted_auc(true, scores)
    monkeypatch.setattr(metrics, "AT_ONCE", 60)
    assert metrics.weighted_auc(true, scores) == whole


def test_auc_takes_decision_scores_without_bound():
    scores = np.array([[1.0, -np.inf, 0], [0, -np.inf, 1], [0.5, -np.inf, 2]])
    assert metrics.weighted_auc(np.array([0, 1, 2]), scores) == pytest.approx((1 + 0.5 + 1) / 3)


def test_auc_of_one_class_is_nan():
    assert np.isnan(metrics.weighted_auc(np.array([1, 1]), np.array([[0.1, 0.9], [0.5, 0.5]])))


def test_log_loss_of_an_impossible_class_is_finite():
    loss = metrics.log_loss(np.array([2]), np.array([[0.5, 0.5, 0.0]]))
    assert loss == pytest.approx(-np.log(np.finfo(float).eps))
