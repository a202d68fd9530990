import numpy as np
import pytest
import xarray as xr

from analysis.calibration.count import measured_shares, shared_share


def test_the_share_is_that_of_the_variances_drawn():
    rng = np.random.default_rng(0)
    of_dataset = rng.normal(0, 1, (2000, 1, 1, 1))
    repeats = of_dataset + rng.normal(0, 3, (2000, 5, 5, 1))
    dims = ("curve", "outer", "inner", "anchor")
    share, low, high = shared_share(xr.DataArray(repeats, dims=dims))
    assert low < 10 < high and share == pytest.approx(10, abs=1.5)


def test_what_repeats_share_is_as_with_real_learners():
    """Next to nothing of a step to the next anchor, up to a twentieth from first to last."""
    table = measured_shares(n=80, rows=400).set_index(["truth", "step"])
    for truth in ("flat", "noise_labels", "neighbour_on_noise", "least_squares_on_noise"):
        near, far = (table.loc[(truth, step)] for step in ("next anchor", "first to last"))
        assert near["low"] < 2 and near["high"] < 4
        assert far["low"] < 6 and far["high"] > 2
