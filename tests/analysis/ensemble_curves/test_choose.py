"""Weights come from validation rows alone, and a portfolio from other datasets alone."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.ensemble_curves import members as stored
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES, EnsembleCurve

NAMES = ("a", "b", "c", "d")


def draw(seed, rows=24, classes=3):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, rows)
    odds = generator.normal(size=(len(NAMES), rows, classes))
    odds[:, np.arange(rows), labels] += generator.uniform(0, 2, (len(NAMES), 1))
    valid = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    nonsense = np.full_like(valid, np.nan)
    return stored.Members(NAMES, {"train": nonsense, "valid": valid, "test": nonsense}), labels


@settings(max_examples=30)
@given(st.integers(0, 10**4), st.sampled_from(list(ENSEMBLE_CURVES)))
def test_every_way_gives_weights_without_test_rows(seed, name):
    members, labels = draw(seed)
    way = ENSEMBLE_CURVES[name]
    among = stored.candidates(way, NAMES, ("b", "x", "d"))
    weights = stored.choose_weights(way, members, labels, (0, 1), among)
    assert weights.shape == (4,) and (weights >= 0).all() and weights.sum() == pytest.approx(1)
    if way.of:
        assert not weights[[0, 2]].any()


@given(st.integers(0, 10**4))
def test_the_single_best_is_the_best_on_the_rows_it_sees(seed):
    members, labels = draw(seed)
    wrong = (members.probabilities["valid"].argmax(axis=2) != labels).mean(axis=1)
    weights = stored.choose_weights(EnsembleCurve("x", "single_best"), members, labels, (seed,),
                                    range(4))
    assert wrong[weights.argmax()] == wrong.min() and weights.max() == 1


def test_ties_go_to_nobody_in_particular():
    members, labels = draw(0)
    first = members.probabilities["valid"][:1]
    same = stored.Members(NAMES, {"valid": np.repeat(first, 4, axis=0)})
    way = EnsembleCurve("x", "single_best")
    picked = {int(stored.choose_weights(way, same, labels, (seed,), range(4)).argmax())
              for seed in range(40)}
    assert picked == {0, 1, 2, 3}


def test_candidates():
    way = ENSEMBLE_CURVES["Portfolio, best"]
    assert stored.candidates(way, NAMES, ("d", "gone", "a", "c", "b")) == [0, 2, 3]
    assert stored.candidates(ENSEMBLE_CURVES["Stacking"], NAMES) == [0, 1, 2, 3]


@settings(max_examples=30)
@given(st.integers(0, 10**4))
def test_a_portfolio_does_not_know_its_own_dataset(seed):
    generator = np.random.default_rng(seed)
    values = generator.uniform(size=(4, 5, 3))
    values[1, :, 2] = values[3, 2] = np.nan  # a short dataset, a learner that fails
    errors = xr.DataArray(values, dims=("dataset", "learner", "anchor"), coords={
        "dataset": list("wxyz"), "learner": list("abcde"), "anchor": [16, 32, 64]})
    found = stored.left_out_portfolios(errors)
    assert ("x", 64) not in found and set(found) == {
        (d, n) for d in "wxyz" for n in (16, 32, 64)} - {("x", 64)}
    other = errors.copy()
    other[0] = generator.permuted(other[0].values, axis=0)
    assert all(found[key] == own for key, own in stored.left_out_portfolios(other).items()
               if key[0] == "w")
    first = errors.sel(anchor=16).values[1:]
    filled = np.where(np.isnan(first), np.nanmax(first, axis=1, keepdims=True), first)
    ranks = np.array([[(row < v).sum() + ((row == v).sum() + 1) / 2 for v in row]
                      for row in filled])
    assert found["w", 16][0] == "abcde"[int(ranks.mean(axis=0).argmin())]

