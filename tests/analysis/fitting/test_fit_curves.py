import warnings

import numpy as np
import pytest
import xarray as xr
from curve_examples import SIZES, TRUE, as_curves, noisy_curves, true_curve
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.fitting import FitStatus, fit_curves
from analysis.fitting.batch import fit_batch
from analysis.fitting.registry import MODELS
from analysis.fitting.search import grid
from collection.project.naming import UnknownNameError

FOUR = ("POW4", "MMF4", "WBL4")
FITTED = [name for name in MODELS if name != "LAST1"]
SCALE_FREE = [name for name in FITTED if name != "EXPP3"]  # it has no amplitude


@pytest.mark.parametrize("name", MODELS)
def test_analytic_curves_are_recovered(name):
    curve = true_curve(name)
    fit = fit_curves(curve, [name]).isel(model=0)
    assert fit["converged"]
    assert fit["mse"] < 1e-12
    np.testing.assert_allclose(fit["prediction"], curve, atol=1e-5)
    parameters = fit["parameters"].sel(parameter=list(MODELS[name].parameters))
    np.testing.assert_allclose(MODELS[name].curve(SIZES.astype(float), *parameters.values), curve,
                               atol=1e-5)
    assert fit["parameters"].notnull().sum() == len(TRUE[name])


@pytest.mark.parametrize("name", [n for n in FITTED if MODELS[n].family.steps])
def test_no_worse_than_any_point_of_a_grid(name):
    curves = noisy_curves(6, seed=2)
    fit = fit_curves(curves, [name]).isel(model=0)
    model, n = MODELS[name], SIZES.astype(float)
    for shape in model.family.at(n, n[0], n[-1], grid(model)):
        columns = np.stack([np.ones_like(shape)] * model.intercept + [shape], 1)
        if model.slope == "minus one":
            best = curves.values + shape
            brute = best.var(1)
        else:
            solution = np.linalg.lstsq(columns, curves.values.T, rcond=None)[0]
            brute = ((columns @ solution - curves.values.T) ** 2).mean(0)
            if model.slope == "negative":
                brute = np.where(solution[-1] < 0, brute, np.inf)
            if model.slope == "positive":
                brute = np.where(solution[-1] > 0, brute, np.inf)
        assert (fit["mse"].values <= brute * (1 + 1e-9) + 1e-15).all()


@settings(max_examples=8, deadline=None)
@given(scale=st.floats(1e-3, 1e3), shift=st.integers(0, 40))
def test_errors_scale_with_the_curve(scale, shift):
    curves = noisy_curves(3, seed=shift)
    models = ["POW2", "POW3", "LOG2", "VAP3", "MMF4"]
    plain, scaled = (fit_curves(c, models)["mse"] for c in (curves, scale * curves))
    np.testing.assert_allclose(scaled, scale**2 * plain, rtol=1e-4)


def test_every_curve_is_fitted_as_if_it_were_alone():
    curves = noisy_curves(12).where(np.random.default_rng(3).random((12, len(SIZES))) < 0.8)
    together = fit_curves(curves, FOUR)
    for k in range(12):
        alone = fit_curves(curves.isel(learner=k), FOUR)
        np.testing.assert_allclose(alone["mse"], together["mse"].isel(learner=k), rtol=1e-5)
    again = fit_curves(curves, FOUR)
    xr.testing.assert_identical(together, again)


def test_missing_anchors_do_not_count():
    curves = noisy_curves(4)
    gaps = curves.where(np.arange(len(SIZES)) % 3 > 0)
    kept = np.flatnonzero(np.arange(len(SIZES)) % 3 > 0)
    fits, dropped = fit_curves(gaps, FOUR), fit_curves(curves.isel(anchor=kept), FOUR)
    np.testing.assert_allclose(fits["mse"], dropped["mse"], rtol=1e-6)
    assert (fits["n_anchors"] == len(kept)).all()
    assert np.isfinite(fits["prediction"]).all()


def test_a_prefix_is_fitted_as_if_the_rest_did_not_exist():
    curves = noisy_curves(4)
    prefix = fit_curves(curves, FOUR, up_to=300)
    short = fit_curves(curves.sel(anchor=slice(None, 300)), FOUR)
    np.testing.assert_allclose(prefix["mse"], short["mse"], rtol=1e-6)
    assert prefix.sizes["anchor"] == len(SIZES)
    own = xr.DataArray([64, 128, 300, 5000], dims="learner")
    each = fit_curves(curves, FOUR, up_to=own)
    assert each["n_anchors"].values.tolist() == [(end >= SIZES).sum() for end in own.values]
    np.testing.assert_allclose(each["mse"][2], prefix["mse"][2], rtol=1e-6)


def test_last1_predicts_the_last_value_that_was_fitted():
    curves = noisy_curves(3).where(SIZES != 256)
    fit = fit_curves(curves, ["LAST1"], up_to=256).isel(model=0)
    before = curves.sel(anchor=SIZES[SIZES < 256][-1])
    np.testing.assert_array_equal(fit["prediction"], before.broadcast_like(fit["prediction"]))


def test_a_curve_from_one_row_on_is_fitted_without_a_warning():
    sizes = np.array([1, 2, 4, 8])
    curve = xr.DataArray([[0.5, 0.4, 0.33, 0.29]], dims=("curve", "anchor"),
                         coords={"anchor": sizes})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fits = fit_curves(curve, ["POW3", "POW4", "EXP3"])
    assert (fits["mse"] < 1e-3).all()


def test_hopeless_curves_get_a_status_and_no_exception():
    values = np.full((4, len(SIZES)), np.nan)
    values[1, 5], values[2], values[3, :3] = 0.3, 0.25, (0.5, 0.4, 0.3)
    fits = fit_curves(as_curves(values))
    status = fits["status"].sel(model="POW4")
    assert [FitStatus(s).name for s in status.values] == [
        "all_missing", "too_few_anchors", "constant", "too_few_anchors"]
    assert fits["n_anchors"].values.tolist() == [0, 1, len(SIZES), 3]
    assert fits["status"].sel(model="LAST1").values.tolist()[1] == FitStatus.ok
    assert fits["status"].sel(model="POW3").values.tolist()[3] == FitStatus.ok
    failed = fits["status"] >= FitStatus.too_few_anchors
    assert (fits["mse"].isnull() == failed).all()
    assert (np.isfinite(fits["prediction"]).all("anchor") == ~failed).all()
    assert not fits["converged"].where(failed, False).any()
    assert ((fits["message"] == "") == (fits["status"] == FitStatus.ok)).all()
    np.testing.assert_allclose(fits["prediction"][2], 0.25, atol=1e-4)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), min_size=8, max_size=8),
       st.sampled_from([1, 1000, 10**6]))
def test_a_fit_never_leaves_the_finite_numbers(values, stretch):
    sizes = 16 + stretch * np.arange(8)
    fits = fit_curves(as_curves(np.array([values]), sizes), up_to=float(sizes[5]))
    fitted = fits["status"] < FitStatus.too_few_anchors
    assert np.isfinite(fits["prediction"]).all("anchor").where(fitted, True).all()
    assert np.isfinite(fits["mse"]).where(fitted, True).all()
    spread = as_curves(np.array([values]), sizes).sel(anchor=slice(None, sizes[5])).var("anchor")
    with_intercept = [name for name in SCALE_FREE if MODELS[name].intercept]
    explained = fits["mse"].sel(model=with_intercept) <= spread + 1e-9
    assert explained.where(fitted.sel(model=with_intercept), True).all()
    for name in MODELS:
        used = fits["parameters"].sel(model=name, parameter=list(MODELS[name].parameters))
        assert np.isfinite(used).all("parameter").where(fitted.sel(model=name), True).all()


POW3 = true_curve("POW3")


@pytest.mark.parametrize(("change", "error", "message"), [
    ({"models": ["WBL"]}, UnknownNameError, "WBL4"),
    ({"curves": POW3.rename(anchor="size")}, ValueError, "anchor"),
    ({"curves": POW3[::-1]}, ValueError, "ascending"),
    ({"curves": POW3.where(POW3["anchor"] > 20, np.inf)}, ValueError, "infinite"),
    ({"curves": np.ones(9)}, TypeError, "curves is a DataArray with named dims, not ndarray"),
    ({"models": []}, ValueError, "No model is named. Known: .*LAST1"),
    ({"up_to": np.array([16, 32])}, TypeError, "up_to is a DataArray"),
    ({"up_to": xr.DataArray([16, 32], dims="fold")}, ValueError, "up_to has the dims fold"),
    ({"up_to": xr.DataArray(np.ones(3), {"anchor": SIZES[:3]})}, ValueError, "other labels"),
    ({"curves": POW3.assign_coords(anchor=SIZES.astype(str))}, TypeError, "numbers of rows, not"),
    ({"curves": POW3.drop_vars("anchor")}, ValueError, "as its coordinate"),
    ({"curves": POW3.astype(str)}, TypeError, "curves must be numeric; got"),
])
def test_what_is_no_named_array_is_refused_with_the_reason(change, error, message):
    with pytest.raises(error, match=message):
        fit_curves(**{"curves": POW3, "models": ["POW3"]} | change)


def test_each_term_lies_in_one_piece():
    """NumPy's functions of a column may differ in the last digit by what lies behind its table."""
    n = np.array(SIZES, float)
    values = noisy_curves(5).values
    fit = fit_batch(n, values, np.ones_like(values), MODELS["WBL4"])
    terms = [fit.reference, *fit.linear.T, *fit.natural.T]
    assert len(terms) == 5 and all(term.flags.c_contiguous for term in terms)
