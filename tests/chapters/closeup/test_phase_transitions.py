"""Transitions are counted by scaling, with an interval that is never a point."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled

from chapters.closeup.shapes import peaks_by_reach, transitions_by_scaling

ANCHORS = np.array([16, 23, 32, 46, 64, 91, 128, 182, 256])


@pytest.fixture(scope="module")
def errors():
    """Without scaling level and then a drop after 64 rows, with it a slow fall."""
    level = np.where(ANCHORS <= 64, 0.5, 0.1)
    slow = 0.1 + 0.4 / np.sqrt(ANCHORS / 16)
    noise = np.random.default_rng(0).normal(0, 0.01, (3, 2, 5, 5, len(ANCHORS)))
    return labelled(np.stack([level, slow])[None, :, None, None] + noise,
                    "dataset scaling outer inner anchor", dataset=["a", "b", "c"],
                    scaling=["none", "standard"], anchor=ANCHORS).rename("error_rate")


def test_drops_are_found_where_they_are_and_counted(errors):
    counts, curves = transitions_by_scaling(errors)
    counts = counts.set_index("scaling")
    assert counts["found"].to_dict() == {"none": 3, "standard": 0}
    assert (counts["low"] < counts["high"]).all() and counts.loc["standard", "high"] > 50
    sudden = curves[curves["scaling"] == "none"]
    assert sudden["found"].all() and (sudden["after"] <= 64).all() and (sudden["by"] > 64).all()
    assert sudden["drop"].to_numpy() == pytest.approx(0.4, abs=0.05)


def test_peaks_are_counted_by_whether_the_curve_passes_the_number_of_features():
    errors = xr.DataArray(np.full((4, 1, 1, 2, 3), 0.3), coords={
        "dataset": ["few", "inside", "many", "gone"], "learner": ["LDA"], "outer": [0],
        "inner": [0, 1], "anchor": [16, 32, 64]}, dims=("dataset", "learner", "outer", "inner",
                                                        "anchor"))
    errors[3] = np.nan
    shapes = xr.Dataset({"peaking": (("dataset", "learner"), [[False], [True], [False], [True]])},
                        coords={"dataset": errors["dataset"], "learner": ["LDA"]})
    features = pd.Series({"few": 3, "inside": 32, "many": 65, "gone": 32})
    table = peaks_by_reach(errors, shapes, features, "LDA").query("margin == 0").set_index("inside")
    assert table["curves"].to_dict() == {True: 1, False: 2}
    assert table["peaks"].to_dict() == {True: 1, False: 0}
    assert table.loc[False, "high"] > 0
