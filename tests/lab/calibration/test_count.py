import numpy as np
import pandas as pd
import pytest
import xarray as xr

from lab.calibration.count import EXCESSES, calls, count_drops, moves_in_fifths, transitions
from lab.shapes.simulation import simulate_curves


@pytest.fixture(scope="module")
def valid():
    """Ten datasets of 1,000 rows, half of them with a clear drop; one learner of two is missing."""
    parts = [simulate_curves(shape, 5, 0, rows=1000, anchors=12, true_size=size)
             for shape, size in (("phase_transition", 0.2), ("flat", None))]
    curves = xr.concat(parts, "curve").rename(curve="dataset").drop_vars(
        ["true_mono", "true_conv", "true_dip", "true_peak", "true_transition"])
    curves = curves.assign_coords(dataset=np.arange(10), scaling="none").expand_dims("scaling")
    return xr.concat([curves, curves.where(False)], pd.Index(["LDA", "KNN"], name="learner"))


@pytest.fixture(scope="module")
def tried(valid):
    return xr.ones_like(valid.isel(outer=0, inner=0, anchor=0, drop=True), dtype=bool)


def test_missing_curves_count_as_not_called(valid, tried):
    of_one = tried.where(valid["learner"] == "LDA", False)
    table, alone = (calls(valid, of).set_index(["procedure", "verdict"]).loc["corrected"]
                    for of in (tried, of_one))
    assert table.loc["non_convex", "rate"] == alone.loc["non_convex", "rate"] / 2
    assert table.loc["non_convex", "low"] < table.loc["non_convex", "rate"]


def test_drops_are_listed_with_their_cause(valid):
    table = transitions(valid)
    assert set(table["dataset"]) <= set(range(5)) and len(table) >= 2
    assert (table["h"] < table["i"]).all() and (table["i"] < table["j"]).all()
    assert table["cause"].notnull().all()


def test_drops_are_counted_by_their_true_excess():
    table = count_drops(each=1)
    assert set(table["excess"]) <= set(EXCESSES)
    assert table["rate"].between(0, 100).all() and (table["low"] <= table["high"]).all()
    assert table["n"].sum() == 7 * 4 + 8


def test_a_mean_over_five_sequences_moves_in_fifths_and_one_over_25_does_not():
    said, low = np.random.default_rng(0).integers(0, 2, (25, 30)), 0.3125
    said[:, -1] = 0  # in the end all say the class that most rows have
    rows = [low + (1 - 2 * low) * said[:n].mean(axis=0) for n in (5, 25)]
    coords = {"dataset": [3, 6, 11], "anchor": np.arange(30)}
    means = xr.DataArray(np.stack([*rows, np.full(30, low)]).round(4), coords, coords.keys())
    table = moves_in_fifths(means).set_index("dataset")["fifths"]
    assert table.to_dict() == {3: True, 6: False}
