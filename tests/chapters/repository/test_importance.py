"""Functional ANOVA against the definition on a grid, and hyperparameters as numbers."""

import json

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.ensemble import RandomForestRegressor

from chapters.repository.importance import (
    _tree_importance,
    as_numbers,
    importance,
    task_importances,
)


def draw(configs=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"rate": 10 ** rng.uniform(-3, 0, configs),
                         "depth": rng.integers(1, 7, configs).astype(float),
                         "switch": rng.integers(0, 2, configs).astype(float)})


def test_a_trees_shares_are_those_of_its_predictions_on_the_whole_grid():
    rng = np.random.default_rng(1)
    sizes, weights = (3, 4, 2), [np.array([0.5, 0.3, 0.2]), np.full(4, 0.25), np.array([0.9, 0.1])]
    X = np.column_stack([rng.integers(0, n, 80) for n in sizes])
    forest = RandomForestRegressor(3, random_state=0).fit(X, rng.random(80) + X[:, 1])
    grid = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1)
    for tree in forest.estimators_:
        said = tree.predict(grid.reshape(-1, 3)).reshape(sizes)
        chance = np.einsum("i,j,k->ijk", *weights)
        mean = (chance * said).sum()
        total = (chance * (said - mean) ** 2).sum()
        others = ("j,k,ijk->i", "i,k,ijk->j", "i,j,ijk->k")
        expected = []
        for k, how in enumerate(others):
            rest = [w for m, w in enumerate(weights) if m != k]
            marginal = np.einsum(how, *rest, said)
            expected.append(weights[k] @ (marginal - mean) ** 2 / total)
        np.testing.assert_allclose(_tree_importance(tree.tree_, weights), expected, atol=1e-12)


def test_what_decides_the_error_is_found():
    table = draw()
    error = np.log10(table["rate"]) ** 2 + 0.3 * table["switch"]
    found = importance(table, error)
    assert found["rate"] > 0.8 > found["switch"] > found["depth"]
    assert found.sum() <= 1 + 1e-9
    pd.testing.assert_series_equal(found, importance(table, error))


def test_an_interaction_is_no_share_of_one_alone():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (400, 2)), columns=["a", "b"])
    assert importance(table, (table["a"] ^ table["b"]).to_numpy()).sum() < 0.1


def test_equal_errors_have_no_importance():
    assert importance(draw(20), np.ones(20)).isna().all()


def test_hyperparameters_of_any_kind_become_numbers():
    table = as_numbers([
        {"C": 0.1, "penalty": "L2", "deep": {"bn": True, "units": [8, 8]}, "same": 3},
        {"C": 1, "penalty": "L1", "deep": {"bn": False, "units": [8]}, "same": 3},
        {"C": 10, "skew": None, "ag_args": {"name_suffix": "_r2"}, "same": 3}])
    assert list(table) == ["C", "penalty", "deep.bn", "deep.units", "skew"]
    assert table["C"].tolist() == [0.1, 1, 10]
    assert table["penalty"].tolist() == [1, 0, 2]  # what is not set is a value of its own
    assert table["deep.bn"].tolist() == [1, 0, 2] and table["skew"].tolist() == [1, 1, 0]


def test_every_family_on_every_task_with_enough_configs():
    rng = np.random.default_rng(4)
    depth, rate = rng.integers(1, 9, 20), rng.random(20)
    settings = [{"depth": int(d), "rate": float(r)} for d, r in zip(depth, rate, strict=True)]
    settings += [{"C": 1.0}] * 10 + [{}]  # a family that does not vary, and one of one config
    family = ["tree"] * 20 + ["linear"] * 10 + ["dummy"]
    errors = rng.random((31, 2, 1, 2, 3))
    errors[:20, 0] = depth[:, None, None, None]  # the first task: depth decides
    errors[:15, 1, :, 1] = np.nan  # too few configs on the second task's second fold
    dims = ("learner", "task", "repeat", "fold", "split")
    evaluations = xr.Dataset({"error": (dims, errors)}, coords={
        "task": ["a", "b"], "fold": [0, 1], "repeat": [0], "split": ["train", "valid", "test"],
        "family": ("learner", family),
        "hyperparameters": ("learner", [json.dumps(s) for s in settings])})
    table = task_importances(evaluations, trees=16)
    assert set(table["family"]) == {"tree"} and (table["configs"] == 20).all()
    assert list(zip(table["dataset"], table["fold"], strict=True))[::2] == [
        ("a", 0), ("a", 1), ("b", 0)]
    on_a = table[table["dataset"] == "a"].groupby("hyperparameter")["importance"].mean()
    assert on_a["depth"] > 0.9 > on_a["rate"]
