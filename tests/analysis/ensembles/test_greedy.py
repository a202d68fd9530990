"""Greedy selection against the loops it stands for, and what must hold of any ensemble."""

import numpy as np
import pytest
from drawn import KINDS, draw_predictions
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from analysis.ensembles import PROCEDURES, measure_errors, select_ensemble
from analysis.ensembles.candidates import published_steps
from analysis.ensembles.greedy import open_candidates

# Predictions of single precision do not sum to 1 exactly; log-loss brings their mean to sum 1.
NOISE = {"log_loss": 1e-7, "auc": 1e-9, "error_rate": 1e-9, "rmse": 1e-9}
CLASSES = {"log_loss": (2, 3), "auc": (2,), "error_rate": (2, 4), "rmse": (0,)}


@st.composite
def problems(draw, most_configs=8):
    """Predictions, labels, metric and size."""
    metric = draw(st.sampled_from(sorted(CLASSES)))
    predictions, labels = draw_predictions(
        draw(st.integers(0, 10**6)), draw(st.integers(1, most_configs)), draw(st.integers(8, 60)),
        draw(st.sampled_from(CLASSES[metric])), draw(st.sampled_from(KINDS)))
    return predictions, labels, metric, draw(st.integers(1, 12))


def published_error(mean, labels, metric, classes):
    """Return an error as the published code works it out, of one mean."""
    if metric == "log_loss":
        return -np.log(mean).mean()
    if metric == "auc":
        return 1 - roc_auc_score(labels, published_steps(mean))
    if metric == "rmse":
        return np.sqrt(((labels - mean) ** 2).mean())
    decided = mean.argmax(axis=1) if classes else (mean > 0.5).astype(int)
    return 1 - accuracy_score(labels, decided)


def published_loop(predictions, labels, metric, size):
    """The published selection, one config after the other."""
    classes = predictions.ndim == 3 and metric == "error_rate"
    if metric == "log_loss":
        true = (predictions[:, np.arange(len(labels)), labels] if predictions.ndim == 3
                else np.where(labels == 1, predictions, 1 - predictions))
        predictions = np.clip(true.astype(float), 1e-15, 1 - 1e-15).astype(np.float32)
    draws, order, trajectory, rounded = np.random.RandomState(0), [], [], False
    running = np.zeros(predictions.shape[1:])
    while len(order) < size:
        n, errors = len(order), []
        if n:
            running *= (n - 1) / n
            running += predictions[order[-1]] / n
        for prediction in predictions:
            mean = (n / float(n + 1)) * running + (1.0 / float(n + 1)) * prediction
            if classes:
                mean = mean / mean.sum(axis=1)[:, None]
            error = published_error(mean, labels, metric, classes)
            errors.append(np.round(error, 6) if rounded else error)
        best = np.flatnonzero(errors == np.min(errors))
        best = [c for c in best if c in order] or best
        pick = draws.choice(best)
        error = errors[pick]
        if not order and error > 1e-4:
            rounded, error = True, np.round(error, 6)
        order.append(pick)
        trajectory.append(error)
        if len(predictions) == 1:
            break
    last = trajectory.index(min(trajectory)) + 1
    return order[:last], trajectory[:last]


@settings(max_examples=80)
@given(problems())
def test_published_procedure_makes_the_picks_of_the_published_loop(problem):
    order, trajectory = published_loop(*problem)
    found = select_ensemble(*problem, "published")
    assert found.order.tolist() == [int(c) for c in order]
    np.testing.assert_allclose(found.trajectory, trajectory, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(problems(), st.sampled_from(sorted(PROCEDURES)))
def test_trajectory_is_the_error_of_the_picks_so_far(problem, procedure):
    predictions, labels, metric, size = problem
    found = select_ensemble(*problem, procedure)
    assert found.weights.sum() == pytest.approx(1) and len(found.order) <= size
    np.testing.assert_allclose(
        found.weights, np.bincount(found.order, minlength=len(predictions)) / len(found.order))
    means = np.cumsum(predictions[found.order], axis=0, dtype=float)
    means /= np.arange(1, len(means) + 1).reshape(-1, *[1] * (means.ndim - 1))
    noise = 1e-6 if procedure == "published" else NOISE[metric]
    if metric == "rmse" or procedure != "published":  # which clips and rounds in its own way
        np.testing.assert_allclose(found.trajectory, measure_errors(means, labels, metric),
                                   atol=noise)
    assert found.trajectory[-1] <= found.trajectory.min() + noise


@settings(max_examples=100)
@given(problems(), st.booleans(), st.randoms(use_true_random=False))
def test_bounds_are_not_above_the_errors(problem, published, random):
    predictions, labels, metric, size = problem
    candidates = open_candidates(predictions, labels, metric, published)
    for _ in range(size):
        bounds = candidates.bounds()
        errors = np.array([candidates.error(c) for c in range(len(predictions))])
        assert (bounds <= errors).all()
        candidates.add(random.randrange(len(predictions)))


def test_recommended_takes_the_first_of_twins_and_no_draw():
    predictions, labels = draw_predictions(4, 6, 80, 3, "twins")
    found = {seed: select_ensemble(predictions, labels, "log_loss", 10, seed=seed)
             for seed in range(3)}
    assert set(found[0].order) <= {0, 1, 2}
    assert all((found[0].order == f.order).all() for f in found.values())


def test_recommended_stops_where_nothing_gets_better():
    predictions = np.array([[0.9, 0.2, 0.8], [0.1, 0.9, 0.4]], np.float32)
    found = select_ensemble(predictions, np.array([1, 0, 1]), "error_rate", 20)
    assert found.order.tolist() == [0] and found.trajectory.tolist() == [0.0]


def test_errors_are_those_of_scikit_learn():
    predictions, labels = draw_predictions(1, 5, 70, 4)
    np.testing.assert_allclose(measure_errors(predictions, labels, "log_loss"),
                               [log_loss(labels, p / p.sum(axis=1, keepdims=True))
                                for p in predictions.astype(float)], rtol=1e-6)
    predictions, labels = draw_predictions(2, 5, 70, 2, "coarse")
    np.testing.assert_allclose(measure_errors(predictions, labels, "auc"),
                               [1 - roc_auc_score(labels, p) for p in predictions])
    assert measure_errors(np.array([[0.5, 0.6]]), np.array([0, 1]), "error_rate") == 0
    two_columns = np.stack([1 - predictions, predictions], axis=2)
    one, two = (select_ensemble(p, labels, "auc", 5) for p in (predictions, two_columns))
    np.testing.assert_array_equal(one.order, two.order)


def test_of_equal_errors_the_config_that_is_better_alone_is_picked():
    """With the first pick both others make no error; alone the later one makes fewer."""
    predictions = np.array([[0.9, 0.9, 0.9, 0.9, 0.4, 0.4],
                            [0.2, 0.2, 0.2, 0.2, 0.7, 0.7],
                            [0.6, 0.2, 0.2, 0.2, 0.7, 0.7]])
    found = select_ensemble(predictions, np.ones(6, int), "error_rate", 2)
    assert found.order.tolist() == [0, 2]
    assert found.trajectory.tolist() == pytest.approx([2 / 6, 0])


def test_impossible_certainty_is_clipped():
    certain = np.array([[1.0, 0.0], [0.6, 0.4]], np.float32)
    errors = measure_errors(certain, np.array([0, 0]), "log_loss")
    assert errors[0] == pytest.approx(-np.log(np.finfo(float).eps) / 2, rel=1e-6)
    assert select_ensemble(certain, np.array([0, 0]), "log_loss", 3).order.tolist() == [1]


@pytest.mark.parametrize(("asked", "message"), [
    (("auc", 5, "publishd"), "procedure 'publishd'. Did you mean 'published'"),
    (("logloss", 5), "metric 'logloss'. Did you mean 'log_loss'"),
    (("auc", 0), "at least one pick, not 0")])
def test_unknown_names_and_sizes_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        select_ensemble(*draw_predictions(1, 3, 20, 2), *asked)
