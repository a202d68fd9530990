"""Peaks by both methods, on curves made for it."""

import numpy as np
import pytest
import xarray as xr

from analysis.shapes import detect_shapes
from chapters.da1.definitions import peaks_by_method


@pytest.fixture
def curves():
    """Two learners on eight datasets; the first one's error has a peak."""
    rng = np.random.default_rng(0)
    anchors = np.array([16, 32, 64, 128, 256])
    falling, peak = np.array([0.4, 0.3, 0.25, 0.2, 0.18]), np.array([0, 0, 0.3, 0, 0])
    shape = (8, 2, 5, 5, 5)
    error = falling + rng.normal(0, 0.003, shape)
    error[:, 0] += peak
    dims = ("dataset", "learner", "outer", "inner", "anchor")
    return xr.Dataset({"error_rate": (dims, error)},
                      coords={"dataset": np.arange(8), "learner": ["LDA", "KNN"],
                              "anchor": anchors})


def test_peaks_are_found_by_both_methods(curves):
    errors = curves["error_rate"]
    table = peaks_by_method(errors, detect_shapes(errors)["peaking"]).set_index("learner")
    assert table.loc["LDA"].tolist() == [8, 100, 100, 100]
    assert table.loc["KNN", ["section_4", "both"]].tolist() == [0, 0]
