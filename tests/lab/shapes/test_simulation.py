import numpy as np
import pytest
import xarray as xr

from analysis.shapes import detect_shapes
from collection.project.naming import UnknownNameError
from lab.shapes.simulation import SIMULATIONS, VIOLATION_OF, nearest_neighbour, simulate_curves

TRUTH = ("true_mono", "true_conv", "true_dip", "true_peak")
VERDICTS = ("non_monotone", "non_convex", "dipping", "peaking")


@pytest.mark.parametrize("shape", SIMULATIONS)
def test_same_seed_same_curves(shape):
    once, again, other = (simulate_curves(shape, 2, seed, rows=300, anchors=9)
                          for seed in (1, 1, 2))
    xr.testing.assert_identical(once, again)
    assert not np.array_equal(once.values, other.values)
    assert once.dims == ("curve", "outer", "inner", "anchor")
    assert once.shape[:3] == (2, 5, 5)


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


@pytest.mark.parametrize("shape, how, error, message", [
    ("peek", {}, UnknownNameError, "'peak'"), ("peak", {"rows": 20}, ValueError, "anchors"),
    ("flat", {"true_size": 0.03}, ValueError, "'flat' has no violation"),
    ("flat", {"noise": "lcdb11"}, UnknownNameError, "'lcdb10'"),
    ("flat", {"estimand": "datasets"}, UnknownNameError, "'dataset'")])
def test_what_cannot_be_simulated_is_refused(shape, how, error, message):
    with pytest.raises(error, match=message):
        simulate_curves(shape, 1, 0, **how)


@pytest.mark.parametrize("shape", VIOLATION_OF)
def test_true_violations_have_the_size_asked_for(shape):
    curves = simulate_curves(shape, 20, 0, true_size=0.03, rows=2000)
    reached = np.isclose(curves[VIOLATION_OF[shape]], 0.03, atol=1e-6)
    assert reached.mean() > 0.9
    assert (curves[VIOLATION_OF[shape]] <= 0.03 + 1e-6).all()


def test_anchors_and_repeats_are_as_many_as_asked_for():
    curves = simulate_curves("peak", 2, 0, rows=20_000, anchors=35, repeats=(10, 2))
    assert curves.sizes == {"curve": 2, "outer": 10, "inner": 2, "anchor": 35}
    assert curves["anchor"].values[[0, -1]].tolist() == [16, 16_200]


@pytest.mark.parametrize("estimand", ["dataset", "population"])
def test_means_are_those_of_the_true_curve(estimand):
    """A constant curve: no anchor's mean is moved by noise, clipping or counting."""
    curves = simulate_curves("flat", 4000, 0, rows=400, anchors=12, estimand=estimand)
    means = curves.mean(["outer", "inner"])
    drift = means - means.isel(anchor=-1)
    assert np.abs(drift.mean("curve") / (drift.std("curve") / 63))[:-1].max() < 4


def test_only_a_population_is_missed_by_many_repeats():
    """More repeats find the curve of this dataset, not that of the population behind it."""
    spread = {}
    for estimand in ("dataset", "population"):
        curves = simulate_curves("flat", 200, 0, rows=400, estimand=estimand, repeats=(20, 20))
        means = curves.mean(["outer", "inner"])
        spread[estimand] = float((means.isel(anchor=-1) - means.isel(anchor=0)).std())
    assert spread["dataset"] < 0.6 * spread["population"]


def test_nearest_neighbour_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    train, valid = rng.normal(size=(2, 12, 2, 3))
    anchors = np.array([3, 8, 24])
    found = nearest_neighbour(train, valid, anchors)
    rows, asked = train.reshape(-1, 3), valid.reshape(-1, 3)
    for k, error in zip(anchors, found, strict=True):
        closest = ((asked[:, None] - rows[None, :k]) ** 2).sum(axis=2).argmin(axis=1)
        assert error == pytest.approx(np.mean(closest % 2 != np.arange(24) % 2))
