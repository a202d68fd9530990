"""Peaks between neighbours, and beside those of Section 4."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from curve_strategies import as_array, curves
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.shapes.local import Segment, count_peaks, local_segments, peaks_by_method
from benchmarks import shape_loops as loops


@given(curves(resolution=16))  # dyadic: differences are exact
@settings(max_examples=100, deadline=None)
def test_segments_are_those_of_the_loops(curve):
    repeats, anchors = curve
    found = local_segments(as_array(*curve))
    kept = ~np.isnan(repeats).all(axis=0)
    assert found.sel(anchor=anchors[kept][:-1]).values.tolist() == loops.local_segments(*curve)
    assert int(found.notnull().sum()) == max(0, kept.sum() - 1)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0, np.nan]), min_size=1, max_size=12))
@settings(max_examples=100, deadline=None)
def test_a_peak_is_a_worsening_that_an_improvement_follows(segments):
    word = "".join({-1.0: "w", 1.0: "i"}.get(s, "") for s in segments)
    expected = 0
    while "w" in word and "i" in word[word.index("w"):]:
        word = word[word.index("i", word.index("w")) + 1:]
        expected += 1
    found = count_peaks(xr.DataArray(segments, dims="anchor"))
    assert int(found) == expected


def test_two_peaks_of_a_curve_are_counted_over_extra_dims():
    means = np.array([0.3, 0.2, 0.4, 0.4, 0.2, 0.1, 0.3, 0.05])
    rng = np.random.default_rng(1)
    repeats = means + rng.normal(0, 0.01, (2, 5, 5, 8))
    repeats[1] = np.sort(repeats[1], axis=-1)[..., ::-1]
    valid = labelled(repeats, "learner outer inner anchor", learner=["a", "b"],
                     anchor=16 * np.arange(1, 9))
    segments = local_segments(valid)
    assert segments.dims == ("learner", "anchor")
    assert segments.sel(learner="a", anchor=32) == Segment.worsening
    assert segments.sel(learner="a", anchor=48) == Segment.insignificant
    assert count_peaks(segments).values.tolist() == [2, 0]


def test_rounding_is_insignificant():
    repeats = np.tile([0.3, 0.3 + 5e-17, 0.1 + 0.2], (25, 1))
    assert local_segments(as_array(repeats, [1, 2, 3])).values[:2].tolist() == [0, 0]


def test_curves_without_repeats_are_refused():
    with pytest.raises(ValueError, match="repeats"):
        local_segments(xr.DataArray([0.5], dims="anchor", coords={"anchor": [16]}))


def test_peaks_are_found_by_both_methods():
    """Two learners on eight datasets; the first one's error has a peak."""
    error = np.random.default_rng(0).normal(0, 0.003, (8, 2, 5, 5, 5))
    error += [0.4, 0.3, 0.25, 0.2, 0.18]
    error[:, 0, ..., 2] += 0.3
    errors = labelled(error, "dataset learner outer inner anchor", learner=["LDA", "KNN"])
    table = peaks_by_method(errors).set_index("learner")
    assert table.loc["LDA"].tolist() == [8, 100, 100, 100]
    assert table.loc["KNN", ["section_4", "both"]].tolist() == [0, 0]
