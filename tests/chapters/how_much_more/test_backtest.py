"""The backtest counts what it says: rivals on exact curves, coverage, choices, reach."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from chapters.how_much_more.backtest import (
    backtest,
    backtest_summary,
    backtest_words,
    last_slope,
    saturating_power,
)

SIZES = np.array([16, 32, 64, 128, 256, 512, 1024])


def test_the_eye_goes_straight_on_a_logarithmic_axis():
    errors = 0.5 - 0.05 * np.log2(SIZES / 16)
    assert last_slope(SIZES[:5], errors[:5], 1024) == pytest.approx(errors[-1])
    assert last_slope(SIZES, np.linspace(0.6, 0, 7), 1e9) == 0


def test_the_package_fits_its_own_formula():
    errors = 0.1 + (1.7 * SIZES + 0.001) ** -0.5
    assert saturating_power(SIZES.astype(float), errors, 4096.0) == pytest.approx(
        0.1 + (1.7 * 4096 + 0.001) ** -0.5, abs=1e-3)
    assert np.isnan(saturating_power(SIZES[:3].astype(float), errors[:3], 4096.0))


@pytest.fixture(scope="module")
def curves():
    rng = np.random.default_rng(0)
    floors = {"KNN": 0.2, "LDA": 0.1}
    values = np.array([[f + 1.5 * SIZES ** -0.6 for f in floors.values()] for _ in range(2)])
    noisy = np.clip(values[:, :, None, None] + rng.normal(0, 0.003, (2, 2, 5, 1, 7)), 0, 1)
    return xr.DataArray(noisy, dims=("dataset", "learner", "outer", "inner", "anchor"),
                        coords={"dataset": ["one", "two"], "learner": list(floors),
                                "outer": range(5), "inner": [0], "anchor": SIZES})


def test_every_curve_is_predicted_by_every_method(curves):
    table = backtest(curves, shares=(0.25, 0.5))
    assert len(table) == 2 * 2 * 2 * 5
    assert (table["seen"] <= table["share"] * 1024).all() and (table["target"] == 1024).all()
    ours = table[table["method"] == "report"]
    assert (ours["low"] <= ours["predicted"]).all() and (ours["predicted"] <= ours["high"]).all()
    truth = curves.mean(["outer", "inner"]).sel(anchor=1024).to_series()
    told = table.set_index(["dataset", "learner"])["actual"]
    assert (told - truth.reindex(told.index)).abs().max() < 1e-12


def test_curves_too_short_are_left_out(curves):
    assert backtest(curves.isel(anchor=slice(4)), shares=(0.25,)).empty


def test_the_summary_counts_by_hand():
    table = pd.DataFrame({
        "dataset": ["a", "a", "b", "b"], "learner": ["x", "y"] * 2, "share": 0.5, "method": "m",
        "last": 0.5, "predicted": [0.1, 0.2, 0.3, np.nan], "low": [0.0, 0.0, 0.0, 0.0],
        "high": [0.15, 0.1, 0.4, 1.0], "actual": [0.2, 0.15, 0.3, 0.4]})
    found = backtest_summary(table).iloc[0]
    assert found["mean_points"] == pytest.approx(100 * (0.1 + 0.05 + 0 + 0.1) / 4)
    assert found["no_answer"] == 0.25 and found["coverage90"] == 0.5
    assert found["best_right"] == 0.5 and found["regret_points"] == pytest.approx(2.5)
    assert found["reach_right"] == pytest.approx((0.5 + 1) / 2)
    assert found["low"] <= found["mean_points"] <= found["high"]
    (shown,) = backtest_words(backtest_summary(table)).to_dict("records")
    assert shown["rows seen [%]"] == 50 and shown["off by [points]"].startswith("6.2 [")


def test_saying_that_nothing_changes_is_a_rival_judged_on_the_same_curves(curves):
    table = backtest(curves, shares=(0.25,))
    same = table[table["method"] == "nothing changes"]
    assert (same["predicted"] == same["last"]).all()
    summary = backtest_summary(table).set_index("method")
    gain = summary.loc["nothing changes", "mean_points"] - summary.loc["report", "mean_points"]
    assert summary.loc["nothing changes", "closer"] == pytest.approx(gain)
    assert np.isnan(summary.loc["report", "closer"])
