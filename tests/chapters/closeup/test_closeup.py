"""Peaks are counted by whether the curve passes its number of features."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled

from chapters.closeup import _near, peaks_by_reach


def test_peaks_are_counted_by_whether_the_curve_passes_the_number_of_features():
    names = {"dataset": ["few", "inside", "many", "gone"], "learner": ["LDA"]}
    errors = labelled(np.full((4, 1, 1, 2, 3), 0.3), "dataset learner outer inner anchor", **names)
    errors[3] = np.nan
    shapes = xr.Dataset({"peaking": labelled([[0], [1], [0], [1]], "dataset learner", **names) > 0})
    features = pd.Series({"few": 3, "inside": 32, "many": 65, "gone": 32})
    table = peaks_by_reach(errors, shapes, features, "LDA").query("margin == 0").set_index("inside")
    assert table["curves"].to_dict() == {True: 1, False: 2}
    assert table["peaks"].to_dict() == {True: 1, False: 0}
    assert table.loc[False, "high"] > 0


def test_near_is_within_a_factor_of_two_either_way():
    assert _near(pd.Series([0.4, 0.5, 1.0, 2.0, 2.1])) == pytest.approx(60)
