import matplotlib.pyplot as plt
import numpy as np
import pytest
from curve_examples import SIZES, noisy_curves, true_curve

from analysis.fitting import fit_curves
from analysis.fitting.lmfit_models import confidence_intervals, fit_one, lmfit_model, plot_fit
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
        assert tuple(built.param_names) == model.parameters
        assert built.independent_vars == ["n"]
    with pytest.raises(UnknownNameError, match="POW3"):
        lmfit_model("POW33")


def test_report_intervals_and_band_of_a_curve_that_determines_its_parameters():
    curve = true_curve("POW3") + 0.002 * np.random.default_rng(0).standard_normal(len(SIZES))
    result = fit_one(curve, "POW3")
    assert "a:" in result.fit_report()
    intervals = confidence_intervals(result).set_index("parameter")
    assert (intervals["method"] == "profile").all()
    assert (intervals["low"] < intervals["estimate"]).all()
    assert (intervals["estimate"] < intervals["high"]).all()
    wide = confidence_intervals(result, 0.99).set_index("parameter")
    assert (wide["high"] - wide["low"] > intervals["high"] - intervals["low"]).all()
    figure, ax = plt.subplots()
    plot_fit(curve, result, ax=ax)
    assert len(ax.collections) == 1
    assert ax.get_xscale() == "log"
    plt.close(figure)


def test_an_undetermined_parameter_has_no_interval_and_a_reason():
    curve = noisy_curves(1).isel(learner=0)
    intervals = confidence_intervals(fit_one(curve, "LAST1"))
    assert intervals["low"].isnull().all()
    assert (intervals["method"] == "none").all()
    assert intervals["message"].str.len().gt(0).all()


def test_a_curve_that_cannot_be_fitted_says_why():
    curve = true_curve("POW4")
    with pytest.raises(ValueError, match="fewer anchors"):
        fit_one(curve.where(curve["anchor"] < 25), "POW4")
    with pytest.raises(ValueError, match="no anchor"):
        fit_one(curve.where(False), "POW4")
