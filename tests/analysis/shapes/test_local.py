"""Peaks between neighbours, and beside those of Section 4."""

import numpy as np
from curve_examples import labelled
from curve_strategies import as_array, curves
from hypothesis import given, settings

from analysis.shapes.peaks import local_peaks, peaks_by_method
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


def test_peaks_are_found_by_both_methods():
    """Two learners on eight datasets; the first one's error has a peak."""
    error = np.random.default_rng(0).normal(0, 0.003, (8, 2, 5, 5, 5))
    error += [0.4, 0.3, 0.25, 0.2, 0.18]
    error[:, 0, ..., 2] += 0.3
    errors = labelled(error, "dataset learner outer inner anchor", learner=["LDA", "KNN"])
    table = peaks_by_method(errors).set_index("learner")
    assert table.loc["LDA"].tolist() == [8, 100, 100, 100]
    assert table.loc["KNN", ["section_4", "both"]].tolist() == [0, 0]
