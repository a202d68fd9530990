"""Predictions and labels that no ensemble can be made of, and budgets that buy nothing."""

import numpy as np
import pytest
from drawn import draw_predictions

from analysis.ensembles import BudgetError, PredictionError, affordable, select_ensemble
from analysis.ensembles.registry import combine

SMALL = draw_predictions(1, 4, 20, 3)
TWO = draw_predictions(1, 4, 20, 2)
NUMBERS = draw_predictions(1, 4, 20, 0)


def changed(array, place, value):
    array = np.array(array, copy=True)
    array[place] = value
    return array


@pytest.mark.parametrize(("predictions", "labels", "metric", "message"), [
    (SMALL[0][0, 0], SMALL[1], "log_loss", r"have \(3,\), \(20,\)"),
    (SMALL[0][:0], SMALL[1], "log_loss", "nothing to choose from"),
    (SMALL[0][:, 1:], SMALL[1], "log_loss", "of 19 rows, but there are 20 labels"),
    (changed(SMALL[0], (2, 5), np.nan), SMALL[1], "log_loss",
     "1 of 4 configs .* NaN or infinite, the first at position 2"),
    (changed(SMALL[0], (3, 5), 0.9), SMALL[1], "error_rate", "position 3 on row 5 add up to 2.7"),
    (changed(TWO[0], (1, 0), 1.5), TWO[1], "auc", "position 1 has .* to 1.5"),
    (SMALL[0], changed(SMALL[1], 0, 3), "log_loss", "from 0 to 2 here; found 0, 1, 2, 3"),
    (TWO[0], changed(TWO[1], 0, -1), "log_loss", "from 0 to 1 here; found -1, 0, 1"),
    (TWO[0], changed(TWO[1].astype(float), 0, np.nan), "auc", "found 0, 1, nan"),
    (TWO[0], changed(TWO[1].astype(float), 0, 1e30), "auc", r"found 0, 1, 1e\+30"),
    (SMALL[0], SMALL[1] + 0.5, "log_loss", "class numbers from 0 to 2"),
    (SMALL[0], SMALL[1].astype(str), "log_loss", "must be integer codes; got <U"),
    (SMALL[0], SMALL[1], "auc", "AUC is of two classes; these are 3"),
    (TWO[0], np.zeros(20, int), "auc", "all are of class 0"),
    (SMALL[0], SMALL[1], "rmse", "RMSE is of one number per row"),
    (NUMBERS[0], changed(NUMBERS[1], 3, np.nan), "rmse", "finite numbers"),
])
def test_what_is_wrong_is_said(predictions, labels, metric, message):
    with pytest.raises(PredictionError, match=message):
        select_ensemble(predictions, labels, metric, 5)


def test_a_budget_pays_for_configs_in_order_while_below_it():
    times = np.array([3.0, 2.0, 5.0, 1.0])
    assert [affordable(times, b) for b in (3.1, 5.0, 5.1, 10.0, 10.5, 11.0, 12.0)] == [
        1, 1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize(("times", "budget", "error", "message"), [
    ([3, 2, 5, 1], 0.5, BudgetError, r"budget of 0.5 s .* the cheapest takes 1 s\. Raise"),
    ([3, 2, 5, 1], 3, BudgetError, "takes 3 s; the cheapest takes 1 s"),
    ([1, 2, np.nan, 1], 9, ValueError, r"1 training times are NaN or negative.* position 2")])
def test_a_budget_that_pays_for_nothing_is_an_error(times, budget, error, message):
    with pytest.raises(error, match=message):
        affordable(times, budget)


@pytest.mark.parametrize(("weights", "words"), [
    ([0.5, 0.3, 0.2], "4 configs need as many weights"), ([5, 0, 0, 0], "sum to 1, not to 5"),
    ([2, -1, 0, 0], "one is -1"), ([np.nan, 0, 0, 1], "sum to 1")])
def test_weights_that_are_none_combine_nothing(weights, words):
    with pytest.raises(PredictionError, match=words):
        combine(SMALL[0], np.array(weights))


def test_rows_that_all_members_see_alike_stay_tied():
    rng = np.random.default_rng(0)
    predictions = np.tile(rng.random((23, 1)), 1001)  # no last digit may tell rows apart
    weights = rng.dirichlet(np.ones(23))
    combined = combine(predictions, weights)
    assert (combined == combined[0]).all()
    np.testing.assert_allclose(combined, weights @ predictions)
