import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.shapes.transitions import detect_transitions, steps_of
from lab.shapes.simulation import simulate_curves, true_transition

ANCHORS = np.unique(np.geomspace(16, 1024, 25).round())


def called(shape, n=30, **how):
    valid = simulate_curves(shape, n, 0, rows=2000, anchors=16, **how)
    return float(detect_transitions(valid)["phase_transition"].mean())


def test_places_are_a_doubling_apart_before_and_at_most_one_after():
    k, i, j, side, first = steps_of(ANCHORS.tobytes())
    assert len(first) and (ANCHORS[i] > ANCHORS[k]).all() and (ANCHORS[j] > ANCHORS[i]).all()
    assert (ANCHORS[j] <= 2.05 * ANCHORS[i]).all()
    assert (ANCHORS[i] >= 1.95 * ANCHORS[k])[first].all()
    assert (side[first] == 1).all() and (k[side == -1] == 0).sum() == len(first)


@given(st.lists(st.floats(0, 1), min_size=len(ANCHORS) - 1, max_size=len(ANCHORS) - 1))
@settings(max_examples=100, deadline=None)
def test_a_falling_convex_curve_has_none(steps):
    """Slopes that are never steeper than before; the grid's rounding leaves a twentieth of room."""
    slopes = np.sort(steps)[::-1]
    curve = 1e4 - np.concatenate([[0], np.cumsum(slopes * np.diff(ANCHORS))])
    excess = true_transition(curve[None], ANCHORS)[0]
    assert excess <= 0.08 * np.ptp(curve)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_the_excess_is_that_of_the_definition(seed):
    curve = np.random.default_rng(seed).random(len(ANCHORS))
    best = 0.0
    for i, x in enumerate(ANCHORS):
        half = [k for k, size in enumerate(ANCHORS) if 2 * size <= 1.025 * x]
        for j in range(i + 1, len(ANCHORS)) if len(half) else ():
            if ANCHORS[j] <= 2.05 * x:
                above = max(curve[k] - curve[i] for k in range(half[-1], i))
                below = max(curve[i] - curve[k] for k in range(i))
                best = max(best, curve[i] - curve[j] - 2 * max(above, below))
    assert true_transition(curve[None], ANCHORS)[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("shape", ["peak", "narrow_peak", "broad_peak"])
def test_a_peak_is_no_phase_transition(shape):
    assert called(shape, true_size=0.1) <= 0.1


def test_a_sudden_drop_is_found_where_it_is():
    means = np.where(ANCHORS < 100, 0.6, 0.2)
    repeats = means + np.random.default_rng(0).normal(0, 0.01, (25, len(ANCHORS)))
    from curve_strategies import as_array
    found = detect_transitions(as_array(repeats, ANCHORS))
    assert bool(found["phase_transition"])
    assert float(found["transition_drop"]) == pytest.approx(0.4, abs=0.02)
    assert float(found["transition_i"]) < 100 <= float(found["transition_j"])


@pytest.mark.parametrize("shape", ["flat", "power_law", "dip", "nearest_centroid"])
def test_curves_without_one_are_not_called(shape):
    assert called(shape) <= 0.1


def test_a_clear_one_is_called():
    assert called("phase_transition", true_size=0.15) > 0.7


def test_missing_and_short_curves_have_none():
    valid = simulate_curves("flat", 2, 0, rows=300, anchors=8)
    found = detect_transitions(valid.where(False))
    assert not found["phase_transition"].any() and found["p_transition"].isnull().all()
    assert not detect_transitions(valid.isel(anchor=slice(2)))["phase_transition"].any()
