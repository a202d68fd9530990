import numpy as np
import pytest
from curve_strategies import as_array, curves
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.shapes import verdicts as violations
from analysis.shapes.curves import pack
from analysis.shapes.peaks import local_peaks
from benchmarks import shape_loops as loops


def packed(repeats, anchors):
    return pack(repeats[None], np.asarray(anchors, float), np.finfo(float).eps)


@given(curves())
@settings(max_examples=200, deadline=None)
def test_largest_violations_are_those_of_the_loops_to_the_bit(curve):
    _, means, anchors = loops.kept(*curve)
    block = packed(*curve)
    exactly = np.zeros(1)
    for found, (size, where) in (
        (violations.largest_increase(block.means, exactly), loops.largest_increase(means)),
        (violations.largest_final_increase(block.means, block.counts, exactly),
         loops.largest_increase(means, final=True)),
        (violations.largest_bulge(block, exactly), loops.largest_bulge(means, anchors)),
    ):
        assert found.size[0] == size
        assert tuple(found.at[0]) == (where or (-1,) * len(found.at[0]))


@given(curves(holes=False), st.floats(-1e3, 1e3))
@settings(max_examples=100, deadline=None)
def test_beyond_rounding_size_and_place_survive_an_added_constant(curve, constant):
    repeats, anchors = curve
    before, after = packed(repeats, anchors), packed(repeats + constant, anchors)
    for largest in (lambda block: violations.largest_increase(block.means, block.rounding),
                    lambda block: violations.largest_bulge(block, block.rounding)):
        assert largest(after).size == pytest.approx(largest(before).size, abs=1e-10)
        assert largest(after).at.tolist() == largest(before).at.tolist()


@given(st.lists(curves(), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_minorant_is_convex_below_the_curve_and_touches_it(many):
    length = max(len(anchors) for _, anchors in many)
    means, places = (np.full((len(many), length), np.nan) for _ in range(2))
    for row, curve in enumerate(many):
        _, mean, anchors = loops.kept(*curve)
        means[row, : len(mean)], places[row, : len(mean)] = mean, anchors
    counts = (~np.isnan(means)).sum(axis=1)
    minorant = violations.convex_minorant(places, means, counts)
    for row, n in enumerate(counts):
        x, y, low = places[row, :n], means[row, :n], minorant[row, :n]
        assert (low <= y + 1e-12).all()
        assert (np.diff(np.diff(low) / np.diff(x)) >= -1e-9).all()
        above = max(loops.largest_bulge(y, x)[0], 0)
        assert np.max(y - low, initial=0) == pytest.approx(above, abs=1e-12)


def test_increases_that_differ_by_rounding_tie_only_beyond_rounding():
    means = np.array([[0.1, 0.2, 0.1, 0.2 + 1e-16]])
    assert violations.largest_increase(means, np.zeros(1)).at.tolist() == [[0, 3]]
    assert violations.largest_increase(means, np.full(1, 1e-14)).at.tolist() == [[0, 1]]


@given(curves(resolution=16))  # dyadic: differences are exact
@settings(max_examples=100, deadline=None)
def test_a_peak_is_a_worsening_that_an_improvement_follows(curve):
    segments = loops.local_segments(*curve)
    worse = segments.index(-1) if -1 in segments else len(segments)
    assert bool(local_peaks(as_array(*curve))) == (1 in segments[worse:])


def test_rounding_is_insignificant():
    rise, fall = [0.3, 0.3 + 5e-17, 0.1 + 0.2, 0.1], [0.3, 0.4, 0.4, 0.1]
    for means, expected in ((rise, False), (fall, True)):
        assert bool(local_peaks(as_array(np.tile(means, (25, 1)), [1, 2, 3, 4]))) is expected
