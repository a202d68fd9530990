"""The search finds one fit, whatever the last digit of a curve or of a processor's arithmetic."""

import numpy as np
import pytest

from analysis.fitting.batch import fit_batch
from analysis.fitting.registry import MODELS


def ends(n, y, name, at):
    return fit_batch(n, y, np.ones_like(y), MODELS[name]).predict(np.array([[at]]))[:, 0]


@pytest.mark.parametrize("name", ["WBL4", "JANOSCHEK4", "EXP4", "MMF4", "POW4"])
def test_rounding_does_not_choose_between_fits_that_are_equally_good(name):
    rng = np.random.default_rng(0)
    n, level = np.array([16, 23, 32, 45, 64, 91]), rng.uniform(0.2, 0.6, (400, 1))
    jump = rng.uniform(-0.2, 0.2, (400, 1))
    step = np.where(np.arange(6) < rng.integers(1, 6, (400, 1)), 0, jump)
    y = level + step + rng.normal(0, 0.01, step.shape)
    nudged = y * (1 + rng.choice([-2e-16, 0, 2e-16], y.shape))
    apart = np.abs(np.subtract(*(ends(n, c, name, 810.0).clip(0, 1) for c in (y, nudged))))
    assert apart.max() < 0.02 and np.sum(apart > 1e-4) <= 2


@pytest.mark.parametrize("name", [
    name for name, model in MODELS.items() if model.intercept and model.slope != "minus one"])
def test_a_constant_curve_goes_on_as_it_is(name):
    level = np.random.default_rng(0).uniform(0, 1, (50, 1))
    y = level * (1 + np.random.default_rng(1).choice([-2e-16, 0, 2e-16], (50, 12)))
    n = np.round(16 * 2 ** (np.arange(12) / 2))
    assert np.allclose(ends(n, y, name, 1000 * n[-1]), level[:, 0], rtol=0, atol=1e-5)
