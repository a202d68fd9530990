"""Fewer anchors of the same curves, and the curve that is typical."""

import numpy as np
import pytest
import xarray as xr

from analysis.fitting import fit_curves
from analysis.shapes import detect_shapes
from chapters.da3.fits import fit_summary, thin_anchors, thinning_effect, typical_curve
from collection.anchors import anchor_grid

ANCHORS = anchor_grid(up_to=1024)


@pytest.fixture(scope="module")
def repeats():
    """Twelve datasets, two learners: power laws, of which some have a bump in the middle."""
    rng = np.random.default_rng(0)
    level = rng.uniform(0.05, 0.2, (12, 2, 1, 1))
    errors = level + 0.8 * ANCHORS ** -rng.uniform(0.3, 0.6, (12, 2, 1, 1))
    errors = errors + 0.003 * rng.standard_normal((12, 2, 10, len(ANCHORS)))
    errors[rng.random((12, 2)) < 0.4, :, 20:26] += 0.1
    return xr.DataArray(errors, dims=("dataset", "learner", "outer", "anchor"), coords={
        "dataset": range(12), "learner": ["KNN", "LDA"], "anchor": ANCHORS})


def test_each_curve_keeps_every_fourth_of_its_own_anchors_and_its_last():
    curve = xr.DataArray([np.nan, *range(9), np.nan], dims="anchor", coords={"anchor": range(11)})
    kept = thin_anchors(curve)
    assert kept.dropna("anchor").values.tolist() == [0, 4, 8]
    assert thin_anchors(curve[:9]).dropna("anchor").values.tolist() == [0, 4, 7]
    assert thin_anchors(curve, every=1).identical(curve)


def test_the_effect_is_that_of_fitting_few_anchors(repeats):
    shapes, means = detect_shapes(repeats), repeats.mean("outer")
    table = thinning_effect(means, shapes)
    assert set(table["anchors"]) == {"all", "thinned"}
    few = means.where(means["anchor"].isin([*ANCHORS[::4], ANCHORS[-1]]))
    expected = fit_summary(fit_curves(few, ["POW4"])["mse"], shapes)
    thinned = table[table["anchors"] == "thinned"].drop(columns="anchors").reset_index(drop=True)
    assert thinned["ratio"].to_numpy() == pytest.approx(expected["ratio"].to_numpy())
    assert (table["ratio"] > 1).all()  # a bump is missed on many anchors and on few


def test_the_typical_curve_is_well_behaved_and_its_fit_the_median(repeats):
    shapes, means = detect_shapes(repeats), repeats.mean("outer")
    curve = typical_curve(means, shapes)
    own = {"dataset": curve["dataset"].item(), "learner": curve["learner"].item()}
    assert not shapes["ill_behaved"].sel(own) and curve.identical(means.sel(own))
    mse = fit_curves(means, ["POW3"])["mse"].isel(model=0).where(~shapes["ill_behaved"])
    rank = (mse < mse.sel(own)).sum().item()
    assert rank == mse.notnull().sum().item() // 2
    with pytest.raises(ValueError, match="settles"):
        typical_curve(means, shapes.assign(ill_behaved=shapes["ill_behaved"] | True))
