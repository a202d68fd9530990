import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.fitting.registry import MODELS
from analysis.fitting.search import solve_linear, squared_errors

#: Hundredths: shapes are about 1 and either vary or do not, ties and constant rows among them.
ROWS = arrays(float, (3, 7), elements=st.integers(-200, 200).map(lambda number: number / 100))


def solve_slowly(shape, y, weight, model):
    """Return weighted least squares by lstsq on the free columns."""
    root = np.sqrt(weight)
    columns = np.stack([np.ones_like(shape)] * model.intercept + [shape], 1)
    return np.linalg.lstsq(root[:, None] * columns, root * y, rcond=None)[0]


@pytest.mark.parametrize("name", ["POW3", "POW2", "EXPP3"])
@settings(max_examples=40, deadline=None)
@given(shape=ROWS, y=ROWS, seed=st.integers(0, 99))
def test_linear_parameters_are_those_of_lstsq(name, shape, y, seed):
    model = MODELS[name]
    weight = np.random.default_rng(seed).dirichlet(np.ones(7), 3)
    alpha, beta = solve_linear(shape, y, weight, model)
    fitted = alpha + beta * shape
    errors = squared_errors(shape, y, weight, model)
    for k in range(3):
        if name == "EXPP3":
            expected = np.average(y[k] + shape[k], weights=weight[k]) - shape[k]
        else:
            solution = solve_slowly(shape[k], y[k], weight[k], model)
            expected = solution[:-1].sum() + solution[-1] * shape[k]
        best = weight[k] @ (expected - y[k]) ** 2
        assert weight[k] @ (fitted[k] - y[k]) ** 2 == pytest.approx(best, rel=1e-6, abs=1e-9)
        assert errors[k, k] == pytest.approx(best, rel=1e-5, abs=1e-7)


def test_a_slope_whose_logarithm_is_a_parameter_keeps_its_sign():
    shape = np.linspace(1, 0, 7)[None]
    weight = np.full((1, 7), 1 / 7)
    for y, name, sign in ((shape, "EXP4", -1), (-shape, "VAP3", 1)):
        alpha, beta = solve_linear(shape, y, weight, MODELS[name])
        assert sign * beta > 0
        error = squared_errors(shape, y, weight, MODELS[name])
        np.testing.assert_allclose(error, np.mean((alpha + beta * shape - y) ** 2), rtol=1e-9)
