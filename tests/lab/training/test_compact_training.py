"""How the forecaster of the page is trained: curves thinned, quantiles fitted, ranges widened."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.extrapolation.compact import LEVELS, forward
from lab.training import compact
from lab.training.compact import VIEWS, thinned, train_layers, widening
from lab.training.examples import make_examples, source_of


def test_thinned_curves_keep_their_ends_and_four_points():
    rng = np.random.default_rng(0)
    errors = xr.DataArray(
        rng.random((3, 2, 5, 5, 9)), dims=("dataset", "learner", "outer", "inner", "anchor"),
        coords={"dataset": [11, 12, 14], "name": ("dataset", ["a", "b", "c"]),
                "learner": ["KNN", "LDA"], "anchor": 16 * 2 ** np.arange(9)})
    plain = make_examples(source_of(errors, [0, 1, 2]), VIEWS)
    thin = thinned(plain, rng)
    assert (thin.seen.last == plain.seen.last).all() and (thin.seen.exists.sum(1) >= 4).all()
    assert (thin.seen.exists <= plain.seen.exists).all()
    assert thin.seen.exists.sum() < plain.seen.exists.sum()


def cases_of(collection, scale, rng, n=1200):
    """Forecasts of spread 1 for changes of spread `scale`, in units of the last error."""
    level = np.full(n, 0.4)
    z = np.array([-1.645, -1.282, -0.674, 0, 0.674, 1.282, 1.645])
    own = pd.DataFrame({f"own{k}": 0.1 * v for k, v in enumerate(z)}, index=range(n))
    return own.assign(collection=collection, level=level, horizon=rng.choice([0.5, 1.5, 2.5, 4], n),
                      truth=level + (level + 0.02) * rng.normal(0, 0.1 * scale, n))


def test_ranges_are_widened_until_they_hold_and_never_narrowed():
    rng = np.random.default_rng(0)
    for scale in (0.5, 1.0, 2.0):
        assert widening(cases_of("one", scale, rng))[2] == pytest.approx(max(1, scale), rel=0.2)
    both = pd.concat([cases_of("narrow", 1.0, rng, 4800), cases_of("wide", 2.0, rng)])
    assert 1.3 < widening(both)[2] < 2  # every collection counts alike


def test_layers_run_in_numpy_find_the_quantiles_that_they_learnt(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(compact, "DROPOUT", 0.0)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 2))
    goal = x[:, 0] + rng.uniform(-1, 1, len(x))
    found = forward(x, *train_layers(x, goal, np.ones(len(x)), 0))
    assert found.shape == (len(x), len(LEVELS))
    below = (goal[:, None] < found).mean(0)
    np.testing.assert_allclose(below, LEVELS, atol=0.03)
    np.testing.assert_allclose(found[:, 3], x[:, 0], atol=0.4)
