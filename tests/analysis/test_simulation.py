import numpy as np
import pytest
import xarray as xr

from analysis.shapes import detect_shapes
from analysis.simulation import SIMULATIONS, simulate_curves
from collection.naming import UnknownNameError

TRUTH = ("true_mono", "true_conv", "true_dip", "true_peak")
VERDICTS = ("non_monotone", "non_convex", "dipping", "peaking")


@pytest.mark.parametrize("shape", SIMULATIONS)
def test_same_seed_same_curves(shape):
    once, again, other = (simulate_curves(shape, 2, seed, rows=300) for seed in (1, 1, 2))
    xr.testing.assert_identical(once, again)
    assert not np.array_equal(once.values, other.values)
    assert once.dims == ("curve", "outer", "inner", "anchor")
    assert once.shape[:3] == (2, 5, 5)


def test_error_rates_are_counts_of_the_validation_rows():
    for shape in ("power_law", "nearest_centroid"):
        wrong = simulate_curves(shape, 3, 0, rows=1000).values * 90
        assert np.abs(wrong - np.round(wrong)).max() < 1e-9
        assert wrong.min() >= 0 and wrong.max() <= 90


def test_anchors_are_those_of_the_training_set():
    assert simulate_curves("flat", 1, 0, rows=1000)["anchor"].max() <= 810


@pytest.mark.parametrize("shape, violated", [
    ("power_law", ()), ("flat", ()), ("phase_transition", ("true_conv",)),
    ("peak", ("true_mono", "true_conv", "true_peak")),
    ("dip", ("true_mono", "true_conv", "true_dip")),
])
def test_true_shapes_are_what_they_are_called(shape, violated):
    curves = simulate_curves(shape, 50, 0, size=0.2)
    for name in TRUTH:
        share = float((curves[name] > 0).mean())
        if name in violated:
            assert share > 0.8
        elif not (shape == "dip" and name == "true_peak"):
            assert share == 0


@pytest.mark.parametrize("shape, verdict", [
    ("peak", "peaking"), ("dip", "dipping"), ("phase_transition", "non_convex"),
    ("peak", "non_monotone"), ("peak", "non_convex"),
])
def test_large_violations_are_found_where_the_true_curve_has_them(shape, verdict):
    curves = simulate_curves(shape, 40, 0, size=0.3, rows=8000)
    truth = dict(zip(VERDICTS, TRUTH, strict=True))[verdict]
    large = curves[truth] > 0.1
    assert int(large.sum()) > 10
    assert float(detect_shapes(curves)[verdict].where(large).mean()) > 0.8


@pytest.mark.parametrize("shape", ["power_law", "flat", "nearest_centroid"])
def test_well_behaved_curves_are_rarely_called_ill_behaved(shape):
    """Well below 5 %: the published tests are far stricter than they say (finding 7)."""
    found = detect_shapes(simulate_curves(shape, 100, 4))
    assert float(found["ill_behaved"].mean()) <= 0.05
    assert float(found["peaking"].mean()) == 0


def test_nearest_centroid_falls_convexly_on_average():
    mean = simulate_curves("nearest_centroid", 60, 0, rows=600).mean(["curve", "outer", "inner"])
    thin = mean.values[::6]
    slopes = np.diff(thin) / np.diff(mean["anchor"].values[::6])
    assert (slopes < 2e-5).all()
    assert (np.diff(slopes) > -2e-5).all()


def test_noise_labels_stay_at_chance():
    curves = simulate_curves("noise_labels", 30, 0)
    assert float(curves.mean()) == pytest.approx(0.5, abs=0.01)


def test_unknown_shape_and_too_few_rows_are_refused():
    with pytest.raises(UnknownNameError, match="'peak'"):
        simulate_curves("peek", 1, 0)
    with pytest.raises(ValueError, match="anchors"):
        simulate_curves("peak", 1, 0, rows=20)
