"""Every ensembler keeps the rules; each one does what it says."""

import numpy as np
import pytest
from drawn import draw_predictions
from scipy.optimize import minimize

from analysis.ensembles import ENSEMBLERS, combine, fit_ensemble, measure_errors
from analysis.ensembles.weighted import PENALTIES, _solve, held_out_folds
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


def test_an_unknown_ensembler_is_named():
    with pytest.raises(UnknownNameError, match=r"ensembler 'stack'. Did you mean 'stacking'"):
        fit_ensemble("stack", *draw_predictions(1, 2, 9, 2), "auc")


@pytest.mark.parametrize("rarest, by_class", [(5, True), (4, False)])
def test_folds_are_stratified_where_every_class_has_a_row_per_fold(rarest, by_class):
    labels = np.r_[np.zeros(45, int), np.ones(rarest, int)]
    for seed in range(5):
        of_one = [labels[out].sum() for _, out in held_out_folds(labels, True, seed)]
        assert len(of_one) == 5 and sum(of_one) == rarest
        if by_class:
            assert of_one == [1] * 5
    assert by_class or any(
        [labels[out].sum() for _, out in held_out_folds(labels, True, seed)] != [1, 1, 1, 1, 0]
        for seed in range(5))
