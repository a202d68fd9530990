import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from collection.containers import metrics


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


def test_log_loss_of_an_impossible_class_is_finite():
    loss = metrics.log_loss(np.array([2]), np.array([[0.5, 0.5, 0.0]]))
    assert loss == pytest.approx(-np.log(np.finfo(float).eps))


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=20))
def test_binary_auc_is_scikit_learns(pairs):
    scores = np.array([s for s, _ in pairs], float)
    positive = np.array([p for _, p in pairs])
    found = metrics.auc(positive, scores)
    assert found.shape == ()
    if positive.all() or not positive.any():
        assert np.isnan(found)
        return
    assert found == pytest.approx(reference.roc_auc_score(positive, scores))
    both = metrics.auc(positive, np.array([scores, -scores]))
    assert both.tolist() == pytest.approx([float(found), 1 - float(found)])


@given(st.lists(st.tuples(st.sampled_from([0, 1e-20, 1e-15, 1e-3, 0.3, 0.5, 1 - 1e-9, 1]),
                          st.booleans()), min_size=2, max_size=20))
def test_binary_log_loss_is_scikit_learns_however_certain(pairs):
    said = np.array([p for p, _ in pairs], float)
    true = np.array([t for _, t in pairs], int)
    expected = reference.log_loss(true, said, labels=[0, 1])
    assert metrics.log_loss(true, said) == pytest.approx(expected, rel=1e-12)
    assert metrics.log_loss(true, np.column_stack([1 - said, said])) == pytest.approx(expected)


def test_log_loss_of_single_precision_is_clipped_as_double():
    wrong = np.array([[0, 1], [1, 0]], np.float32)
    expected = -np.log(np.finfo(float).eps)
    assert metrics.log_loss(np.array([0, 1]), wrong) == pytest.approx(expected)
    assert metrics.log_loss(np.array([0, 0]), wrong[:, 1]) == pytest.approx(expected / 2)


@given(st.integers(0, 2**32 - 1))
def test_errors_of_regression_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    true, said = rng.normal(size=(2, 12))
    assert metrics.rmse(true, said) == pytest.approx(
        np.sqrt(reference.mean_squared_error(true, said)))
    assert metrics.mae(true, said) == pytest.approx(reference.mean_absolute_error(true, said))
    assert metrics.r2(true, said) == pytest.approx(reference.r2_score(true, said))
