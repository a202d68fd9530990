import itertools

import numpy as np
import pytest
from curve_strategies import as_array, curves
from hypothesis import given, settings

from analysis.shapes import detect_shapes
from analysis.shapes.max_t import (
    FEW,
    critical_value,
    flip_p_values,
    largest_when_flipped,
    signs,
    standardise,
)
from analysis.shapes.verdicts import all_pairs, all_triples
from lab.shapes.simulation import simulate_curves

ROUNDING = 1e-13


def differences_of(repeats, places):
    return (repeats[:, places.above] - places.of_left * repeats[:, places.left]
            - places.of_right * repeats[:, places.right])


def brute_force_p(repeats, families, mine):
    """All patterns of signs, one after the other, by the definition of u; of one of the kinds."""
    d = [differences_of(repeats, places) for places in families]
    norms = [np.sqrt((kind**2).sum(axis=0)) for kind in d]

    def largest(signs, kinds):
        u = [(signs @ d[k])[norms[k] > ROUNDING] / norms[k][norms[k] > ROUNDING] for k in kinds]
        return max(kind.max(initial=-np.inf) for kind in u)

    patterns = [np.array(s) for s in itertools.product([1, -1], repeat=len(repeats))]
    observed = largest(patterns[0], [mine])
    return np.mean([largest(s, range(len(d))) >= observed - 1e-4 for s in patterns])


@given(curves(max_anchors=6, holes=False))
@settings(max_examples=60, deadline=None)
def test_p_is_the_share_of_all_flips_with_as_large_a_maximum(curve):
    repeats, anchors = curve
    families = all_pairs(len(anchors)), all_triples(anchors.astype(float).tobytes())
    found = detect_shapes(as_array(*curve), "max_t")
    for k, kind in enumerate(("mono", "conv")):
        if not np.isnan(found[f"p_{kind}"]):
            assert float(found[f"p_{kind}"]) == pytest.approx(brute_force_p(repeats, families, k))


def test_the_statistic_grows_with_t_and_flips_leave_its_scale_alone():
    d = np.random.default_rng(0).normal(0.3, 1, (25, 40))
    parts, u = standardise(d, 1.0, ROUNDING)
    t = d.mean(axis=0) / d.std(axis=0, ddof=1) * 5
    np.testing.assert_allclose(u, t * np.sqrt(25 / (24 + t**2)))
    narrowed = standardise(d, 2.0, ROUNDING)[1]
    np.testing.assert_allclose(narrowed, t / 2 * np.sqrt(25 / (24 + t**2 / 4)))
    assert parts.shape == (25, 40)


def test_sequential_p_values_are_those_of_all_flips_or_larger_ones_that_are_valid():
    rng = np.random.default_rng(1)
    parts = standardise(rng.normal(size=(25, 30)), 1.0, ROUNDING)[0]
    largest = largest_when_flipped(parts, signs(25)[:FEW])
    for quantile in (0.1, 0.5, 0.9, 0.99, 1.0):
        observed = float(np.quantile(largest, quantile)) + 0.001
        every = (1 + (largest >= observed - 1e-4).sum()) / (FEW + 1)
        assert flip_p_values(parts, np.array([observed]))[0] == pytest.approx(every, rel=0.3)
    assert flip_p_values(parts, np.array([5.0]))[0] == 1 / (FEW + 1)


def test_what_exceeds_the_critical_value_has_a_p_below_the_level():
    rng = np.random.default_rng(2)
    parts = standardise(rng.normal(size=(25, 30)), 1.0, ROUNDING)[0]
    critical = critical_value(parts, 0.05)
    above, below = flip_p_values(parts, critical + np.array([1e-3, -0.05]))
    assert above <= 0.08 and below > 0.03


@pytest.mark.parametrize("procedure", ["max_t", "max_t_population"])
def test_a_constant_curve_is_called_no_more_often_than_the_level(procedure):
    found = detect_shapes(simulate_curves("flat", 300, 5, rows=600, anchors=10), procedure)
    for verdict in ("ill_behaved", "dipping", "peaking"):
        assert float(found[verdict].mean()) <= 0.085, verdict  # 0.05 and three standard errors


def test_it_finds_what_bonferroni_misses_and_keeps_what_it_finds():
    valid = simulate_curves("peak", 60, 1, rows=1500, anchors=16, true_size=0.06)
    one, many = (detect_shapes(valid, name) for name in ("corrected", "max_t"))
    for verdict in ("ill_behaved", "non_convex", "peaking"):
        assert float(many[verdict].mean()) > float(one[verdict].mean())
        assert float((one[verdict] & ~many[verdict]).mean()) < 0.05


def test_stepping_down_rejects_all_that_is_clear_and_reports_the_largest():
    rng = np.random.default_rng(0)
    means = np.array([0.3, 0.2, 0.35, 0.1, 0.3, 0.05])
    found = detect_shapes(as_array(means + rng.normal(0, 0.005, (25, 6)), 16 * np.arange(1, 7)),
                          "max_t")
    assert int(found["rejected_mono"]) == 3 + 1  # to the third from two, to the fifth from two
    assert (float(found["mono_i"]), float(found["mono_j"])) == (64, 80)


def test_a_repeat_that_lacks_an_anchor_is_left_out_there():
    rng = np.random.default_rng(0)
    repeats = np.array([0.2, 0.3, 0.1]) + rng.normal(0, 0.01, (12, 3))
    repeats[:6, 2] = np.nan
    found = detect_shapes(as_array(repeats, [16, 32, 64]), "max_t")
    without = detect_shapes(as_array(repeats[:, :2], [16, 32]), "max_t")
    assert bool(found["non_monotone"]) and bool(found["peaking"])
    assert float(found["violation_mono"]) == float(without["violation_mono"])
