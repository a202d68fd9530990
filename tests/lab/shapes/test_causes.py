"""Causes of shapes, against plain loops and cases worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.shapes import peaks_against_features, ratio_interval
from lab.shapes import causes


def test_a_whole_batch_is_not_incomplete():
    rows = np.array([16, 200, 201, 400, 609])
    assert causes.incomplete_batch(rows, 200).tolist() == [0, 0, 1, 0, 9]


def test_bumps_are_measured_from_the_line_over_the_logarithm():
    anchors = np.array([16, 32, 128, 256, 512])
    curve = xr.DataArray([0.9, 0.7, 0.5, 0.45, 0.1], dims="anchor", coords={"anchor": anchors})
    bumps = causes.local_bumps(curve)
    assert np.isnan(bumps[[0, -1]]).all()
    for k in range(1, 4):
        expected = curve.values[k] - np.interp(np.log(anchors[k]), np.log(anchors[[k - 1, k + 1]]),
                                               curve.values[[k - 1, k + 1]])
        assert bumps.values[k] == pytest.approx(expected)


@pytest.fixture
def shapes():
    """Two learners on four datasets; the peaks of LDA are at twice the number of features."""
    dims = ("dataset", "learner")
    return xr.Dataset(
        {"conv_i": (dims, [[20.0, 16], [40, 16], [80, 16], [160, 16]]),
         "peaking": (dims, [[True, True], [True, False], [True, False], [False, False]])},
        coords={"dataset": [1, 2, 3, 4], "learner": ["LDA", "KNN"], "name": ("dataset", [*"abcd"])})


def test_peaks_are_counted_in_features(shapes):
    features = pd.Series({1: 10, 2: 20, 3: np.nan, 4: 80})
    table = peaks_against_features(shapes, features).set_index(["learner", "dataset"])
    assert table["ratio"].to_dict() == {("LDA", 1): 2, ("LDA", 2): 2, ("KNN", 1): 1.6}
    assert table.loc[("LDA", 2), ["peak", "features"]].tolist() == [40, 20]


def test_the_median_of_peaks_has_an_interval_that_covers():
    rng, hits = np.random.default_rng(8), 0
    for k in range(120):
        ratio = np.exp(0.5 * rng.standard_normal(41))
        table = pd.DataFrame({"learner": "LDA", "ratio": ratio,
                              "dataset": [f"d{n}" for n in range(41)]})
        row = ratio_interval(table, seed=k, resamples=150).iloc[0]
        assert row["low"] < row["median"] == np.median(ratio) < row["high"]
        hits += row["low"] <= 1 <= row["high"]
    assert 105 <= hits <= 119  # of 120, at 95 %


def test_the_most_frequent_come_first_with_how_many_they_are():
    ratios = pd.DataFrame({"learner": ["A"] * 3 + ["B"] * 5, "ratio": [1, 2, 3, 1, 1, 2, 4, 9],
                           "dataset": [*"abcdefgh"]})
    table = ratio_interval(ratios)
    assert table[["learner", "peaks", "median"]].values.tolist() == [["B", 5, 2], ["A", 3, 2]]


ANCHORS = np.array([16, 64, 128, 256, 1024, 2048])
FACTS = pd.DataFrame({"features": [100], "classes": [2], "majority_error": [0.4]}, index=[7])


def label(learner, i, j, before=0.3, dataset=7):
    error = np.where(i >= ANCHORS, before, 0.1)
    valid = xr.DataArray(np.broadcast_to(error, (1, 1, 5, 5, 6)),
                         dims=("dataset", "learner", "outer", "inner", "anchor"),
                         coords={"dataset": [dataset], "learner": [learner], "anchor": ANCHORS})
    found = pd.DataFrame({"dataset": [dataset], "learner": [learner], "i": [i], "j": [j]})
    return causes.likely_causes(found, valid, FACTS).iloc[0]


@pytest.mark.parametrize("expected, how", [
    ("constant prediction", {"learner": "SVM_RBF", "i": 64, "j": 128, "before": 0.4}),
    ("not told", {"learner": "SVM_RBF", "i": 64, "j": 128}),
    ("batch size", {"learner": "TabNet", "i": 256, "j": 1024}),
    ("batch size", {"learner": "MLP", "i": 128, "j": 256}),
    ("n ≈ d", {"learner": "LDA", "i": 64, "j": 128}),
    ("not told", {"learner": "LDA", "i": 1024, "j": 2048}),
    ("not told", {"learner": "LDA", "i": 256, "j": 1024}),  # twice as far as its features
    ("n ≈ d", {"learner": "QDA", "i": 128, "j": 256}),
    ("not told", {"learner": "KNN", "i": 64, "j": 128}),
    ("not told", {"learner": "LDA", "i": 64, "j": 128, "dataset": 8}),
])
def test_each_cause_is_told_by_its_sign(expected, how):
    assert label(**how) == expected
