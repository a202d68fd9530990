"""The share of ill-behaved curves by the test and by the size that counts."""

import numpy as np
import pytest
import xarray as xr

from analysis.databases.chosen import main_curves, tried_curves, validation_errors
from analysis.shapes import detect_shapes
from chapters.da1.by_test import SIZES, STRICTER, outer_correlation, shares_by_test
from collection.naming import UnknownNameError


@pytest.fixture(scope="module")
def some():
    valid = validation_errors("lcdb10").isel(dataset=slice(0, 40)).load()
    return valid, tried_curves(main_curves("lcdb10"), valid)


def test_shares_fall_with_the_test_and_with_the_size(some):
    table = shares_by_test(*some)
    assert list(table.columns) == ["test", "min_violation", "ill_behaved", "low", "high"]
    wide = table.pivot(index="test", columns="min_violation", values="ill_behaved")
    wide = wide.loc[list(STRICTER), list(SIZES)]
    assert (wide.diff(axis=1).iloc[:, 1:] <= 0).all().all()
    assert (wide.loc["paired"] >= wide).all().all()
    assert wide.loc["nadeau_bengio", 0] < wide.loc["t_over_1.25", 0] < wide.loc["paired", 0]
    assert ((table["low"] <= table["ill_behaved"]) & (table["ill_behaved"] <= table["high"])).all()
    whole = 100 * float(detect_shapes(some[0])["ill_behaved"].mean())
    assert wide.loc["paired", 0] == pytest.approx(whole)


def test_unknown_tests_name_the_close_ones(some):
    with pytest.raises(UnknownNameError, match="nadeau_bengio"):
        shares_by_test(*some, tests=("nadeu_bengio",))


def test_correlation_within_outer_seeds():
    rng = np.random.default_rng(0)
    seeds, repeats = rng.normal(size=(400, 5, 1, 3)), rng.normal(size=(400, 5, 5, 3))
    for shared, expected in ((0.0, 0.0), (0.5, 0.5)):
        values = np.sqrt(shared) * seeds + np.sqrt(1 - shared) * repeats
        curves = xr.DataArray(values, dims=("curve", "outer", "inner", "anchor"))
        assert outer_correlation(curves) == pytest.approx(expected, abs=0.02)
