import numpy as np
import pytest
from curve_examples import SIZES, true_curve

from analysis.fitting import fit_curves
from analysis.fitting.lmfit_models import fit_one, lmfit_model
from analysis.fitting.registry import MODELS
from collection.project.naming import UnknownNameError


@pytest.mark.parametrize("name", [name for name in MODELS if name != "LAST1"])
def test_lmfit_started_at_the_batched_optimum_stays_there(name):
    rng = np.random.default_rng(5)
    curve = true_curve(name) + 0.003 * rng.standard_normal(len(SIZES))
    batched, result = fit_curves(curve, [name]).isel(model=0), fit_one(curve, name)
    assert np.mean(result.residual**2) == pytest.approx(batched["mse"].item(), rel=1e-4)
    np.testing.assert_allclose(result.best_fit, batched["prediction"], atol=1e-4)


def test_a_model_has_the_registry_s_parameters():
    for name, model in MODELS.items():
        built = lmfit_model(name)
        assert "".join(built.param_names) == model.parameters
        assert built.independent_vars == ["n"]
    with pytest.raises(UnknownNameError, match="POW3"):
        lmfit_model("POW33")


def test_a_curve_that_cannot_be_fitted_says_why():
    curve = true_curve("POW4")
    with pytest.raises(ValueError, match="fewer anchors"):
        fit_one(curve.where(curve["anchor"] < 25), "POW4")
    with pytest.raises(ValueError, match="no anchor"):
        fit_one(curve.where(False), "POW4")
