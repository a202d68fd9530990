"""The tables of DA3: floors under fits' errors, verdicts beside fits, classes that partition."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.fitting import fit_curves
from analysis.shapes import detect_shapes
from analysis.shapes.verdicts import VERDICTS
from chapters.da3 import fits as tables
from collection.anchors import anchor_grid

MODELS = ["POW4", "MMF4", "WBL4"]
SIZES = np.array([16, 23, 32, 45, 64, 91, 128, 181])
values = st.lists(st.floats(0, 1), min_size=4, max_size=8)


def _curve(points) -> xr.DataArray:
    return xr.DataArray(points, dims="anchor", coords={"anchor": SIZES[: len(points)]})


def _isotonic(points: np.ndarray) -> np.ndarray:
    """The best rising fit, by its max-min formula."""
    n = len(points)
    return np.array([max(min(points[a : b + 1].mean() for b in range(i, n)) for a in range(i + 1))
                     for i in range(n)])


@settings(max_examples=40, deadline=None)
@given(values)
def test_monotone_floor_is_the_better_isotonic_regression(points):
    points = np.array(points)
    rising = ((points - _isotonic(points)) ** 2).mean()
    falling = ((points + _isotonic(-points)) ** 2).mean()
    floor = tables.monotone_floor(_curve(points)).item()
    assert floor == pytest.approx(min(rising, falling), abs=1e-12)


def test_monotone_floor_passes_over_gaps_and_has_none_without_anchors():
    floor = tables.monotone_floor(xr.DataArray(
        [[0.5, np.nan, 0.3, 0.4], [np.nan] * 4], dims=("curve", "anchor"),
        coords={"anchor": SIZES[:4]}))
    assert floor[0].item() == pytest.approx(2 * 0.05**2 / 3)
    assert np.isnan(floor[1])


@settings(max_examples=40, deadline=None)
@given(values)
def test_no_falling_fit_gets_below_the_floor_of_the_largest_rise(points):
    points = np.array(points)
    rise = (points - np.minimum.accumulate(points)).max()
    falling = ((points + _isotonic(-points)) ** 2).mean()
    floor = tables.violation_floor(xr.DataArray(rise), xr.DataArray(len(points)))
    assert floor.item() <= falling + 1e-12


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.001, 1))
def test_no_convex_fit_of_three_points_gets_below_the_floor(share, bulge):
    line = np.array([-share, 1, share - 1])  # what exceeds the line from the first to the last
    closest = bulge * line / (line @ line)  # the smallest change that removes the bulge
    assert line @ closest == pytest.approx(bulge)
    floor = tables.violation_floor(xr.DataArray(bulge), xr.DataArray(3))
    assert floor <= (closest**2).mean() + 1e-15


def test_floor_without_anchors_is_unknown():
    assert np.isnan(tables.violation_floor(xr.DataArray(0.1), xr.DataArray(0)))


def test_no_model_of_the_paper_gets_below_the_monotone_floor():
    rng = np.random.default_rng(3)
    curves = xr.DataArray(rng.random((60, 8)), dims=("curve", "anchor"), coords={"anchor": SIZES})
    mse = analysis.fit_curves(curves, MODELS)["mse"]
    assert (mse >= tables.monotone_floor(curves) * (1 - 1e-9)).all()


@pytest.fixture(scope="module")
def study():
    """Fits and shapes of 24 datasets, 2 learners: half of the curves fall, half have a peak."""
    rng = np.random.default_rng(5)
    smooth = 0.1 + SIZES**-0.5
    peak = 0.3 * np.exp(-2 * (np.log(SIZES / 64)) ** 2) * rng.random((24, 1, 1, 1, 1, 1))
    errors = smooth + peak * np.array([0, 1])[:, None, None, None, None]
    errors = errors + 0.01 * rng.standard_normal((24, 2, 1, 5, 5, 8))
    errors[0, 0] = np.nan
    valid = labelled(errors, "dataset learner scaling outer inner anchor",
                     learner=["smooth", "peaking"], scaling=["none"], anchor=SIZES)
    shapes = analysis.detect_shapes(valid, procedure="corrected")
    return valid, shapes, analysis.fit_curves(valid.mean(["outer", "inner"]), MODELS)


def test_fits_table_has_a_row_per_curve_and_model(study):
    _, shapes, fits = study
    table = tables.fits_table(fits, {"corrected": shapes}, "mine")
    assert list(table.columns[:9]) == ["database", "dataset", "learner", "scaling", "model",
                                       "n_anchors", "mse", "converged", "status"]
    assert list(table.columns[9:]) == [f"corrected_{v}" for v in VERDICTS]
    assert len(table) == 24 * 2 * 3 and not table.duplicated(list(table.columns[:5])).any()
    row = table.query("dataset == 7 and learner == 'peaking' and model == 'MMF4'").iloc[0]
    where = {"dataset": 7, "learner": "peaking", "scaling": "none"}
    assert row["mse"] == fits["mse"].sel({**where, "model": "MMF4"}).item()
    assert row["corrected_peaking"] == shapes["peaking"].sel(where).item()
    missing = table.query("dataset == 0 and learner == 'smooth'")
    assert set(missing["status"]) == {"all_missing"} and missing["mse"].isna().all()


def test_summary_finds_the_peaks_harder_to_fit_and_bounds_the_ratio(study):
    _, shapes, fits = study
    table = tables.fit_summary(fits["mse"].sel(scaling="none"), shapes.sel(scaling="none"))
    assert list(table["verdict"]) == ["non_monotone"] * 3 + ["non_convex"] * 3
    assert (table["n_well"] + table["n_ill"] + table["n_exact"]).max() <= 47
    assert (table["ratio"] > 3).all() and (table["spearman"] > 0.5).all()
    assert (table["cluster_low"] < table["ratio"]).all()
    assert (table["ratio"] < table["cluster_high"]).all()


def test_every_curve_has_one_class_and_the_first_that_holds(study):
    _, shapes, _ = study
    classes = tables.shape_classes(shapes)
    assert set(np.unique(classes)) <= set(tables.SHAPE_CLASSES)
    assert classes.sel(dataset=0, learner="smooth").item() == "missing"
    false = xr.zeros_like(shapes["missing"].isel(dataset=0, learner=0, scaling=0, drop=True))
    base = xr.Dataset(dict.fromkeys(VERDICTS, false))
    held = [("dipping", ["dipping", "peaking", "non_monotone"]), ("peaking", ["peaking"]),
            ("other non-monotone", ["non_monotone", "non_convex"]),
            ("phase transition", ["non_convex"]), ("flat", ["flat", "dipping"]),
            ("well-behaved", [])]
    for expected, verdicts in held:
        assert tables.shape_classes(base.assign(dict.fromkeys(verdicts, ~false))).item() == expected


def test_classes_are_added_by_curve_and_missing_curves_left_out(study):
    _, shapes, fits = study
    table = tables.with_classes(tables.fits_table(fits, {"corrected": shapes}, "mine"),
                                tables.shape_classes(shapes))
    assert not table["shape"].isin(["missing", "flat"]).any()
    assert ((table["group"] == "ill-behaved") == (table["corrected_ill_behaved"] == 1)).all()


ANCHORS = anchor_grid(up_to=1024)


@pytest.fixture(scope="module")
def repeats():
    """Twelve datasets, two learners: power laws, of which some have a bump in the middle."""
    rng = np.random.default_rng(0)
    level = rng.uniform(0.05, 0.2, (12, 2, 1, 1))
    errors = level + 0.8 * ANCHORS ** -rng.uniform(0.3, 0.6, (12, 2, 1, 1))
    errors = errors + 0.003 * rng.standard_normal((12, 2, 10, len(ANCHORS)))
    errors[rng.random((12, 2)) < 0.4, :, 20:26] += 0.1
    return labelled(errors, "dataset learner outer anchor", learner=["KNN", "LDA"], anchor=ANCHORS)


def test_each_curve_keeps_every_fourth_of_its_own_anchors_and_its_last():
    curve = xr.DataArray([np.nan, *range(9), np.nan], dims="anchor", coords={"anchor": range(11)})
    kept = tables.thin_anchors(curve)
    assert kept.dropna("anchor").values.tolist() == [0, 4, 8]
    assert tables.thin_anchors(curve[:9]).dropna("anchor").values.tolist() == [0, 4, 7]
    assert tables.thin_anchors(curve, every=1).identical(curve)


def test_the_effect_is_that_of_fitting_few_anchors(repeats):
    shapes, means = detect_shapes(repeats), repeats.mean("outer")
    table = tables.thinning_effect(means, shapes)
    assert set(table["anchors"]) == {"all", "thinned"}
    few = means.where(means["anchor"].isin([*ANCHORS[::4], ANCHORS[-1]]))
    expected = tables.fit_summary(fit_curves(few, ["POW4"])["mse"], shapes)
    thinned = table[table["anchors"] == "thinned"].drop(columns="anchors").reset_index(drop=True)
    assert thinned["ratio"].to_numpy() == pytest.approx(expected["ratio"].to_numpy())
    assert (table["ratio"] > 1).all()  # a bump is missed on many anchors and on few


def test_the_typical_curve_is_well_behaved_and_its_fit_the_median(repeats):
    shapes, means = detect_shapes(repeats), repeats.mean("outer")
    curve = tables.typical_curve(means, shapes)
    own = {"dataset": curve["dataset"].item(), "learner": curve["learner"].item()}
    assert not shapes["ill_behaved"].sel(own) and curve.identical(means.sel(own))
    mse = fit_curves(means, ["POW3"])["mse"].isel(model=0).where(~shapes["ill_behaved"])
    rank = (mse < mse.sel(own)).sum().item()
    assert rank == mse.notnull().sum().item() // 2
    with pytest.raises(ValueError, match="settles"):
        tables.typical_curve(means, shapes.assign(ill_behaved=shapes["ill_behaved"] | True))
