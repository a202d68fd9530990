"""Foretelling on datasets left out: against scikit-learn's ridge, and on labels of no meaning."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chapters.how_many_rows import foretold
from chapters.how_many_rows.overtaking import overtaking


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_left_out_predictions_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((30, 4)) * [1, 10, 0.1, 5] + 3, rng.random(30)
    fold = foretold.make_folds(30, 5, seed)
    expected = np.empty(30)
    for k in range(5):
        model = make_pipeline(StandardScaler(), Ridge(alpha=foretold.PENALTY))
        expected[fold == k] = model.fit(x[fold != k], y[fold != k]).predict(x[fold == k])
    assert foretold.left_out_matrix(x, fold) @ y == pytest.approx(expected)


def test_gaps_take_the_median_of_the_training_part():
    rng = np.random.default_rng(3)
    x, y, fold = rng.exponential(size=(40, 3)) ** 3, rng.random(40), foretold.make_folds(40, 4)
    x[rng.random(x.shape) < 0.2] = np.nan
    expected = np.empty(40)
    for k in range(4):
        model = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(),
                              Ridge(alpha=foretold.PENALTY))
        expected[fold == k] = model.fit(x[fold != k], y[fold != k]).predict(x[fold == k])
    assert foretold.left_out_matrix(x, fold) @ y == pytest.approx(expected)


def test_own_fold_has_no_say_and_weights_sum_to_one():
    x, fold = np.random.default_rng(0).random((20, 3)), foretold.make_folds(20, 4)
    x[3, 1] = np.nan
    x[:, 2] = 1.0
    matrix = foretold.left_out_matrix(x, fold)
    assert (matrix[fold[:, None] == fold] == 0).all()
    assert matrix.sum(axis=1) == pytest.approx(1)


def test_one_fold_is_refused():
    with pytest.raises(ValueError, match="two folds"):
        foretold.left_out_matrix(np.ones((4, 1)), np.zeros(4, int))


def made_up(tells: bool, n=80, seed=0):
    """Curves of one learner: overtaken on half of the datasets, which the lead tells or not."""
    rng = np.random.default_rng(seed)
    anchors = [foretold.SMALL // 2, foretold.SMALL, foretold.BY, 4 * foretold.BY]
    outcome = np.arange(n) % 2 == 0
    lead = rng.standard_normal(n) + (3 * outcome if tells else 0)
    values = np.column_stack([lead, lead, np.where(outcome, 1, -1), np.where(outcome, 1, -1)])
    mean = xr.DataArray(-0.01 * values[:, None], dims=("dataset", "learner", "anchor"), coords={
        "dataset": np.arange(n), "learner": ["L"], "anchor": anchors})
    features = pd.DataFrame(rng.random((n, 4)), columns=pd.MultiIndex.from_tuples(
        [("table", "a"), ("table", "b"), ("errors", "c"), ("errors", "d")]))
    family = pd.Series(range(n), index=range(n))
    return foretold.foretell(mean, overtaking(mean), family, features, ["L"], n_resamples=200)


def test_what_tells_is_found_and_noise_is_not():
    table = made_up(tells=True).set_index("known")
    assert table.loc["lead", "auc"] > 0.9 and table.loc["lead", "p_adjusted"] < 0.01
    assert table.loc["table", "p_adjusted"] > 0.05
    assert table.loc["all", "auc"] > 0.9 and set(table.index) == set(foretold.SETS)
    noise = made_up(tells=False)
    assert (noise["p_adjusted"] > 0.05).all() and (noise["p_adjusted"] >= noise["p"] - 1e-12).all()


def test_versions_of_a_dataset_stand_for_one():
    n = 60
    rng = np.random.default_rng(1)
    values = -0.01 * rng.standard_normal((n, 1, 3))
    anchors = [foretold.SMALL // 2, foretold.SMALL, foretold.BY]
    mean = xr.DataArray(values, dims=("dataset", "learner", "anchor"), coords={
        "dataset": np.arange(n), "learner": ["L"], "anchor": anchors})
    features = pd.DataFrame(rng.random((n, 2)), columns=pd.MultiIndex.from_tuples(
        [("table", "a"), ("errors", "b")]))
    family = pd.Series(np.arange(n) // 2, index=range(n))
    table = foretold.foretell(mean, overtaking(mean), family, features, ["L"], n_resamples=50)
    assert (table["n_datasets"] == n // 2).all()
