"""Reference problems from outside: NIST's nonlinear regression sets with certified values.

A set whose model is one of the registry's, perhaps of a function of x, is fitted as a curve. Where
the registry's model has a parameter more that NIST's holds at 0, a point of overwhelming weight
holds it there; where it has one fewer, that one (b3) is taken as certified.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from analysis.fitting.batch import fit_batch
from analysis.fitting.lmfit_models import fit_one
from analysis.fitting.registry import MODELS

SETS = json.loads((Path(__file__).parent / "nist.json").read_text())
HELD = 1e8  # weight of a point through which the curve has to go


def certified(name: str) -> dict[str, float]:
    return {f"b{k}": value for k, value in enumerate(SETS[name]["certified"], 1)}


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    return np.array(SETS[name]["x"], float), np.array(SETS[name]["y"], float)


#: Set, model, n as a function of x, the registry's parameters from the certified ones, and where
#: the curve is held at 0.
PROBLEMS = [
    ("DanWood", "POW2", lambda x, b: x, lambda b: (-b["b1"], -b["b2"]), None),
    ("DanWood", "EXP2", lambda x, b: np.log(x), lambda b: (b["b1"], -b["b2"]), None),
    ("Rat42", "LOGPOWER3", lambda x, b: np.exp(x / 10),
     lambda b: (b["b1"], b["b2"] / (10 * b["b3"]), -10 * b["b3"]), None),
    ("Rat42", "MMF4", lambda x, b: np.exp(x / 10),
     lambda b: (0, np.exp(b["b2"]), b["b1"], 10 * b["b3"]), 1e-9),
    ("Misra1a", "EXP3", lambda x, b: x, lambda b: (-b["b1"], b["b2"], b["b1"]), 1e-9),
    ("Misra1a", "EXPD3", lambda x, b: x, lambda b: (0, b["b2"], b["b1"]), 1e-9),
    ("BoxBOD", "EXP3", lambda x, b: x, lambda b: (-b["b1"], b["b2"], b["b1"]), 1e-9),
    ("MGH10", "EXP2", lambda x, b: 1 / (x + b["b3"]), lambda b: (b["b1"], -b["b2"]), None),
    ("Rat43", "POW4", lambda x, b: np.exp(-b["b3"] * x),
     lambda b: (0, -b["b1"] * np.exp(-b["b2"] / b["b4"]), 1 / b["b4"], np.exp(-b["b2"])), 1e12),
]
IDS = [f"{name}-{model}" for name, model, *_ in PROBLEMS]


def as_curve(name, to_n, held):
    """Return the set as a curve, and weights that hold it at 0 where it has to be."""
    x, y = data(name)
    n, weight = to_n(x, certified(name)), np.ones(len(x))
    if held is not None:
        n, y, weight = np.append(n, held), np.append(y, 0.0), np.append(weight, HELD)
    order = np.argsort(n)
    coords = {"anchor": n[order]}
    return (xr.DataArray(y[order], dims="anchor", coords=coords),
            weight[order])


@pytest.mark.filterwarnings("ignore:invalid value")  # a shape far from the data, given up
@pytest.mark.parametrize("name, model, to_n, to_parameters, held", PROBLEMS, ids=IDS)
def test_the_fit_is_the_certified_one(name, model, to_n, to_parameters, held):
    curve, weights = as_curve(name, to_n, held)
    fit = fit_batch(curve["anchor"].values, curve.values[None], weights[None], MODELS[model])
    squares = float(fit.mse[0]) * curve.sizes["anchor"]
    assert squares == pytest.approx(SETS[name]["residual_sum_of_squares"], rel=1e-5)
    expected = np.array(to_parameters(certified(name)), float)
    found = fit.parameters[0, :len(expected)]
    scale = np.where(expected == 0, abs(data(name)[1]).max(), abs(expected))
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-4)


@pytest.mark.parametrize("name, model, to_n, factors", [
    ("DanWood", "POW2", lambda x, b: x, (1, 1)),
    ("Rat42", "LOGPOWER3", lambda x, b: np.exp(x / 10), (1, None, 10))])
def test_lmfit_s_standard_errors_are_the_certified_ones(name, model, to_n, factors):
    errors = [p.stderr for p in fit_one(as_curve(name, to_n, None)[0], model).params.values()]
    certain = [errors[k] / f for k, f in enumerate(factors) if f]
    expected = [SETS[name]["deviations"][k] for k, f in enumerate(factors) if f]
    assert certain == pytest.approx(expected, rel=1e-3)
