"""Every ensembler keeps the rules; each one does what it says."""

import numpy as np
import pytest
from drawn import draw_predictions
from scipy.optimize import minimize

from analysis.ensembles import (
    ENSEMBLERS,
    combine,
    diversity,
    fit_ensemble,
    left_out_trajectory,
    measure_errors,
    select_ensemble,
)
from analysis.ensembles.diversity import loss_correlation
from analysis.ensembles.weighted import PENALTIES, _solve
from collection.project.naming import UnknownNameError

CLASSES = {"log_loss": 3, "auc": 2, "error_rate": 4, "rmse": 0}


@pytest.mark.parametrize("metric", CLASSES)
@pytest.mark.parametrize("name", ENSEMBLERS)
def test_weights_add_up_to_one_and_the_error_is_theirs(name, metric):
    predictions, labels = draw_predictions(7, 6, 90, CLASSES[metric])
    found = fit_ensemble(name, predictions, labels, metric, size=8, seed=3)
    assert found.weights.shape == (6,) and (found.weights >= 0).all()
    assert found.weights.sum() == pytest.approx(1)
    assert set(found.order) == set(np.flatnonzero(found.weights))
    error = measure_errors(combine(predictions, found.weights)[None], labels, metric)[0]
    assert found.trajectory[-1] == pytest.approx(error, abs=1e-6)
    again = fit_ensemble(name, predictions, labels, metric, size=8, seed=3)
    np.testing.assert_array_equal(found.weights, again.weights)


@pytest.mark.parametrize("name", ENSEMBLERS)
def test_one_config_gets_all_weight(name):
    predictions, labels = draw_predictions(7, 1, 30, 2, "coarse")
    assert fit_ensemble(name, predictions, labels, "log_loss").weights.tolist() == [1.0]


def test_single_best_is_the_lowest_error():
    predictions, labels = draw_predictions(3, 6, 60, 3)
    errors = measure_errors(predictions, labels, "log_loss")
    assert fit_ensemble("single_best", predictions, labels, "log_loss").order == [errors.argmin()]


def test_stacking_minimises_its_penalised_squares():
    rng = np.random.default_rng(5)
    flat, target = rng.random((4, 50)), rng.random(50)
    found = _solve(flat, target)
    for weights, penalty in zip(found, PENALTIES * (flat @ flat.T).trace() / 4, strict=True):
        def loss(w, penalty=penalty):
            return ((target - w @ flat) ** 2).sum() + penalty * ((w - 0.25) ** 2).sum()
        reached = minimize(loss, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-12).x
        np.testing.assert_allclose(weights, reached / reached.sum(), atol=1e-3)
    np.testing.assert_allclose(found[-1], 0.25, atol=0.01)  # the largest penalty: equal weights


def test_quality_diversity_is_no_worse_than_the_single_best():
    for seed in range(5):
        predictions, labels = draw_predictions(seed, 8, 60, 3)
        best = measure_errors(predictions, labels, "log_loss").min()
        found = fit_ensemble("quality_diversity", predictions, labels, "log_loss", 20, seed)
        assert found.trajectory[0] <= best


def test_losses_correlate_as_numpy_says():
    predictions, labels = draw_predictions(2, 5, 40, 3)
    loss = 1 - predictions[:, np.arange(40), labels]
    np.testing.assert_allclose(loss_correlation(predictions, labels, True), np.corrcoef(loss),
                               atol=1e-5)


def test_the_search_spends_as_many_evaluations_as_greedy_selection(monkeypatch):
    predictions, labels = draw_predictions(2, 20, 40, 2)
    evaluated = []

    def counting(counts, *rest, plain=diversity._errors):
        evaluated.append(len(counts))
        return plain(counts, *rest)

    monkeypatch.setattr(diversity, "_errors", counting)
    fit_ensemble("quality_diversity", predictions, labels, "error_rate", 22)
    assert len(predictions) + sum(evaluated) == 22 * len(predictions)  # each config alone first


def test_left_out_rows_decide_how_many_picks_are_made():
    predictions, labels = draw_predictions(9, 8, 60, 3)
    left_out = left_out_trajectory(predictions, labels, "log_loss", 15, seed=1)
    found = fit_ensemble("cross_fitted", predictions, labels, "log_loss", 15, seed=1)
    assert len(found.order) == left_out.argmin() + 1
    picks = select_ensemble(predictions, labels, "log_loss", 15, "paper").order
    np.testing.assert_array_equal(found.order, picks[:len(found.order)])
    inside = select_ensemble(predictions, labels, "log_loss", 15, "paper").trajectory
    assert left_out.min() > inside.min()  # the error on the rows selected on is too low


def test_an_unknown_ensembler_is_named():
    with pytest.raises(UnknownNameError, match=r"ensembler 'stack'. Did you mean 'stacking'"):
        fit_ensemble("stack", *draw_predictions(1, 2, 9, 2), "auc")
