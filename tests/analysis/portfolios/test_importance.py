"""Shares of a family's variance of errors by hyperparameter, beside permuted ones."""

import json

import numpy as np
import pytest
import xarray as xr

from analysis.portfolios import hyperparameter_importance


@pytest.fixture
def stored():
    """Eight configs whose errors hang on one of two hyperparameters, and a family of three."""
    rng = np.random.default_rng(0)
    depth, rate = np.repeat([2, 4, 6, 8], 2), np.tile([0.1, 0.3], 4)
    settings = [{"depth": int(d), "rate": r, "fixed": 1} for d, r in zip(depth, rate, strict=True)]
    error = rng.random((12, 1)) + depth / 8 + rng.normal(0, 0.01, (12, 8))
    error = np.concatenate([error, rng.random((12, 4))], axis=1)
    few = [{"depth": k} for k in range(3)]
    return xr.Dataset(
        {"error": (("task", "learner", "repeat", "fold", "split"), error[:, :, None, None, None])},
        {"task": [f"t{k}" for k in range(12)], "learner": [f"c{k}" for k in range(12)],
         "split": ["test"], "family": ("learner", ["Trees"] * 8 + ["Few"] * 3 + ["Trees"]),
         "hyperparameters": ("learner", [*map(json.dumps, [*settings, *few]), ""])})


def test_what_errors_hang_on_has_the_variance(stored):
    found = hyperparameter_importance(stored, n_resamples=500).set_index("hyperparameter")
    assert list(found.index) == ["depth", "rate"] and set(found["family"]) == {"Trees"}
    assert (found["configs"] == 8).all() and (found["tasks"] == 12).all()  # who states nothing: out
    depth, rate = found.loc["depth"], found.loc["rate"]
    assert depth["low"] > 90 and rate["high"] < 5 and depth["p_holm"] < 0.05 < rate["p"]
    assert depth["share"] + rate["share"] == pytest.approx(100, abs=5)
    assert (found["low"] <= found["share"]).all() and (found["share"] <= found["high"]).all()


def test_families_without_hyperparameters_have_no_row(stored):
    nothing = stored.assign_coords(hyperparameters=("learner", ["{}"] * 12))
    assert hyperparameter_importance(nothing).empty
    failed = stored.assign(error=stored["error"].where(stored["learner"] != "c0"))
    assert hyperparameter_importance(failed).empty
