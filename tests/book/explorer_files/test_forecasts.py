"""The explorer's forecasts are those of the recommended extrapolator, and know only the past."""

import numpy as np
import pytest
from explorer_files.forecasts import AHEAD, CUTS, LEVELS, database_forecasts

import analysis
from analysis.extrapolation import predict


@pytest.fixture(scope="module")
def valid():
    curves = analysis.load_curves("lcdb10")["error_rate"].sel(
        dataset=[3, 54, 61], learner=["KNN", "LDA", "QDA"], split="valid", drop=True)
    return curves.isel(scaling=0, leakage=0, drop=True).load()


@pytest.fixture(scope="module")
def forecasts(valid):
    return database_forecasts(valid)


def test_they_are_what_the_extrapolator_says_of_the_part_before_the_cut(valid, forecasts):
    (one,) = [f for f in forecasts[0] if f["cut"] == 256]
    seen = valid.sel(dataset=[3]).where(valid["anchor"] <= 256)
    told = predict(seen, one["sizes"], levels=LEVELS).isel(dataset=0)
    for learner, values in one["learners"].items():
        np.testing.assert_allclose(values, told.sel(learner=learner), atol=1e-4)


def test_what_came_later_moves_nothing(valid, forecasts):
    changed = valid.where(valid["anchor"] <= 256, 1 - valid)
    again = database_forecasts(changed)
    for before, after in zip(forecasts, again, strict=True):
        assert [f for f in before if f["cut"] <= 256] == [f for f in after if f["cut"] <= 256]


def test_every_cut_leaves_something_to_predict(valid, forecasts):
    for one, name in zip(forecasts, valid["dataset"].values, strict=True):
        there = valid.sel(dataset=name).notnull().any(["outer", "inner"])
        largest = there["anchor"].values[there.any("learner")].max()
        assert all(f["cut"] in CUTS and f["cut"] < largest for f in one)
        assert all(f["sizes"][-1] >= min(largest, round(f["cut"] * 2 ** AHEAD[-1])) for f in one)
        for forecast in one:
            for values in forecast["learners"].values():
                assert np.isfinite(values).all() and (np.diff(values, axis=1) >= 0).all()
