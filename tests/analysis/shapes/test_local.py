"""Peaks between neighbours."""

import numpy as np
from curve_strategies import as_array, curves
from hypothesis import given, settings

from analysis.shapes.peaks import local_peaks
from benchmarks import shape_loops as loops


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
