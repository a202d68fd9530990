import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.fitting.registry import MODELS, PARAMETERS, curve_models
from collection.project.naming import UnknownNameError

SHAPED = [name for name, model in MODELS.items() if not model.last_alone]


@pytest.mark.parametrize("name", MODELS)
def test_the_name_ends_in_the_number_of_parameters(name):
    model = MODELS[name]
    assert int(name[-1]) == model.n_parameters
    assert set(model.parameters) <= set(PARAMETERS)
    assert model.formula
    assert model.source


@pytest.mark.parametrize("name", SHAPED)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_parameters_say_the_same_as_intercept_slope_and_shape(name, data):
    model, unit = MODELS[name], st.floats(0, 1)
    first, last = 16.0, data.draw(st.sampled_from([45.0, 2000.0, 1e6]))
    theta = np.array([[data.draw(unit) for _ in model.family.steps]])
    n = np.geomspace(first, last, 30)
    alpha = np.array(0.4 if model.intercept else 0.0)
    beta = np.array({"negative": -0.3, "minus one": -1.0}.get(model.slope, 0.3))
    shape = np.broadcast_to(model.family.at(n, first, last, theta), (1, len(n)))[0]
    assert np.isfinite(shape).all()
    natural = [v.item() for v in model.family.natural(first, last, *theta.T)]
    reference = float(model.family.reference(first, last, *natural))
    parameters = model.to_parameters(reference, alpha, beta, *natural)
    assert np.isfinite(parameters).all()
    expected = alpha + beta * shape
    scale = max(1.0, np.abs(expected).max(), 1e-9 * np.abs(parameters[0]))
    np.testing.assert_allclose(model.curve(n, *parameters), expected, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("name", SHAPED)
def test_shapes_are_finite_on_every_anchor_wherever_they_were_fitted(name):
    family = MODELS[name].family
    rng = np.random.default_rng(1)
    theta = rng.choice([0, 0.5, 1, 0.02, 0.98, 0.3], (200, len(family.steps)))
    shapes = family.at(np.geomspace(1, 1e7, 40), 64.0, 256.0, theta)
    assert np.isfinite(shapes).all()


def test_unknown_models_are_named_with_those_that_come_close():
    assert [m.name for m in curve_models("POW4")] == ["POW4"]
    with pytest.raises(UnknownNameError, match="POW4"):
        curve_models(["MMF4", "POW5"])
