"""The tables of DA3: floors under fits' errors, verdicts beside fits, classes that partition."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.shapes.verdicts import VERDICTS
from chapters.da3 import fits as tables

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
    dims = ("dataset", "learner", "scaling", "outer", "inner", "anchor")
    smooth = 0.1 + SIZES**-0.5
    peak = 0.3 * np.exp(-2 * (np.log(SIZES / 64)) ** 2) * rng.random((24, 1, 1, 1, 1, 1))
    errors = smooth + peak * np.array([0, 1])[:, None, None, None, None]
    errors = errors + 0.01 * rng.standard_normal((24, 2, 1, 5, 5, 8))
    errors[0, 0] = np.nan
    valid = xr.DataArray(errors, dims=dims, coords={
        "dataset": np.arange(24), "learner": ["smooth", "peaking"], "scaling": ["none"],
        "anchor": SIZES})
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
