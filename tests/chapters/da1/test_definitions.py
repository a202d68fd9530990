"""The share of ill-behaved curves by test, size and definition; peaks between neighbours."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from curve_strategies import as_array, curves
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.databases.paper_curves import main_curves, tried_curves, validation_errors
from analysis.shapes import detect_shapes
from analysis.shapes.verdicts import VERDICTS
from benchmarks import shape_loops as loops
from chapters.da1.definitions import (
    COMPARISONS,
    SIZES,
    STRICTER,
    Segment,
    by_definition,
    corrected_for,
    count_peaks,
    local_segments,
    peaks_by_method,
    shares_by_test,
)


@pytest.fixture(scope="module")
def some():
    valid = validation_errors("lcdb10").isel(dataset=slice(0, 40)).load()
    return valid, tried_curves(main_curves("lcdb10"), valid)


@pytest.fixture(scope="module")
def table(some):
    return shares_by_test(*some)


def test_shares_fall_with_the_test_and_with_the_size(some, table):
    assert list(table.columns)[:5] == ["test", "min_violation", "ill_behaved", "low", "high"]
    wide = table.pivot(index="test", columns="min_violation", values="ill_behaved")
    wide = wide.loc[list(STRICTER), list(SIZES)]
    assert (wide.diff(axis=1).iloc[:, 1:] <= 0).all().all()
    assert (wide.loc["paired"] >= wide).all().all()
    assert wide.loc["nadeau_bengio", 0] < wide.loc["t_over_1.25", 0] < wide.loc["paired", 0]
    assert ((table["low"] <= table["ill_behaved"]) & (table["ill_behaved"] <= table["high"])).all()
    whole = 100 * float(detect_shapes(some[0])["ill_behaved"].mean())
    assert wide.loc["paired", 0] == pytest.approx(whole)
    there = float(some[0].notnull().any(["outer", "inner", "anchor"]).mean())
    assert (table["of_existing"] * there).to_numpy() == pytest.approx(table["ill_behaved"])


def test_the_definition_to_quote_leaves_missing_curves_out(some, table):
    shapes = {p: detect_shapes(some[0], p) for p in ("published", "corrected")}
    found = by_definition(table, shapes, *some, "lcdb10")
    exist = some[0].notnull().any(["outer", "inner", "anchor"])
    first = found.iloc[0]
    assert first["denominator"] == int(exist.sum()) < found["denominator"].max() == exist.size
    assert first["numerator"] == int(shapes["corrected"]["ill_behaved"].sum())
    assert found["when to use it"].is_unique and (found["low"] <= found["share"]).all()
    assert len(by_definition(table, shapes, *some, "my_curves")) == len(found) - 1


def test_more_comparisons_are_a_stricter_correction_and_nothing_else(some):
    assert [COMPARISONS[kind](5) for kind in ("mono", "conv", "dip", "peak")] == [10, 10, 4, 10]
    own = detect_shapes(some[0].isel(dataset=slice(0, 20)))
    same = corrected_for(own, own["n_anchors"])
    assert all((same[v] == own[v]).all() for v in VERDICTS)
    dear = corrected_for(own, 4 * own["n_anchors"])
    for kind, verdict in (("mono", "non_monotone"), ("peak", "peaking")):
        assert not (dear[verdict] & ~own[verdict]).any()
        assert ((dear[f"p_{kind}"] < 0.05) == dear[verdict]).all()
    assert dear["ill_behaved"].sum() < own["ill_behaved"].sum()


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
    table = peaks_by_method(errors, detect_shapes(errors)["peaking"]).set_index("learner")
    assert table.loc["LDA"].tolist() == [8, 100, 100, 100]
    assert table.loc["KNN", ["section_4", "both"]].tolist() == [0, 0]
