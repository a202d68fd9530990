"""Rounding, Holm, flatness, lost anchors and error rates, on curves made for them."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled
from scipy import stats

from chapters.missed import error_rates, figures, verdicts
from collection.anchors import lcdb10_grid


def made(curves, anchors, spread=0.01):
    """Curves (dataset, learner, anchor) with 25 noisy repeats each."""
    noise = np.random.default_rng(0).normal(0, spread, (*curves.shape[:2], 5, 5, curves.shape[2]))
    return labelled(curves[:, :, None, None] + noise, "dataset learner outer inner anchor",
                    anchor=anchors)


@pytest.fixture
def valid():
    """L0 falls, L1 rises at the end, L2 is constant up to rounding."""
    anchors = np.array([16, 18, 20, 23, 25])
    curves = np.array([[0.5, 0.4, 0.35, 0.32, 0.3], [0.5, 0.4, 0.35, 0.32, 0.6], [0.3] * 5])
    values = made(np.stack([curves] * 4), anchors)
    values[:, 2] = 0.3
    values[:, 2, :, :, -1] = 0.3 + 5e-16
    return values


def test_rounding_is_told_from_real_violations(valid):
    sizes = verdicts.verdict_sizes(valid, "made")
    dips = sizes[sizes["verdict"] == "dipping"]
    assert dips["rounding"].sum() == 4 and (~dips["rounding"]).sum() == 4
    table = verdicts.count_rounding(sizes).set_index("verdict")
    assert table.loc["ill_behaved", ["verdicts", "by_rounding"]].tolist() == [8, 4]
    assert table.loc["ill_behaved", "percent"] == pytest.approx(100 * 8 / 12)
    assert table.loc["ill_behaved", "percent_without"] == pytest.approx(100 * 4 / 12)


def test_a_real_violation_is_no_rounding_whatever_the_other_is(valid):
    sizes = verdicts.verdict_sizes(valid.sel(learner=["L1"]), "made")
    assert not sizes.loc[sizes["verdict"] == "ill_behaved", "rounding"].any()


def test_holm_is_compared(valid):
    variants = verdicts.holm_variants(valid.sel(learner=["L0", "L1"]))
    table = verdicts.compare_holm(variants, "made").set_index("correction")
    assert table["non_monotone"].eq(50).all()
    assert table.loc["Holm", "same_as_holm"] == 100
    assert table.loc["largest violation, Bonferroni", "halved_mono"] == 0


def test_flat_without_one(valid):
    table = verdicts.flat_without_one(valid).set_index("left_out")
    assert table.loc["L0", "before"] == pytest.approx(50)
    assert table["change"].abs().max() == pytest.approx(0)
    wide = valid.copy()
    wide.loc[{"learner": "L1", "anchor": 16}] += 50
    changed = verdicts.flat_without_one(wide).set_index("left_out")["change"]
    assert changed["L1"] == pytest.approx(-50) and changed["L2"] == 0


def test_lost_anchors():
    grid = lcdb10_grid()[:8]  # 16 23 32 45 64 91 128 181: the published look-up lacks 45 and 181
    curves = made(np.linspace(0.5, 0.3, 8)[None, None].repeat(3, axis=1), grid)
    curves[0, 1, ..., :3] = np.nan
    curves[0, 2] = np.nan
    losses = verdicts.anchor_losses(curves)
    assert losses[["learner", "recorded", "kept", "moved"]].values.tolist() == [
        ["L0", 8, 6, False], ["L1", 5, 3, True]]
    assert losses["first_kept"].tolist() == [16, 64]
    assert verdicts.most_moved(losses) == (0, "L1")
    lines = figures.draw_preparation(curves, 0, "L1").axes[0].lines
    assert lines[0].get_xdata()[0] == 45 and lines[1].get_xdata()[0] == 16


def test_smallest_batch():
    assert verdicts.smallest_batch(np.array([16, 199, 200, 400, 450, 609]), 200) == 9


def test_false_alarms_and_power_are_counted():
    alarms = error_rates.false_alarms(4, seed=0, rows=200)
    assert len(alarms) == (len(error_rates.INNOCENT) * len(error_rates.PROCEDURES)
                           * len(error_rates.VERDICTS))
    pd.testing.assert_frame_equal(alarms, error_rates.false_alarms(4, seed=0, rows=200))
    rates = 100 * alarms["called"] / alarms["curves"]
    assert (alarms["low"] <= rates).all() and (rates <= alarms["high"]).all()
    assert alarms["rate"].to_numpy() == pytest.approx(rates)
    assert (alarms["low"] < alarms["high"]).all()
    monotone = alarms[alarms["verdict"].isin(["non_monotone", "non_convex"])]
    assert monotone["rate"].mean() < 5  # the truth has none, and these tests are strict


def test_power_is_by_true_size_and_rows():
    found = error_rates.power((0.02, 0.2), rows=(300, 900), n=4, seed=0)
    assert list(found.columns) == ["verdict", "rows", "true_low", "true_high", "curves", "found",
                                   "low", "high"]
    assert set(found["verdict"]) == set(error_rates.CALLED.values())
    assert ((found["low"] <= found["found"]) & (found["found"] <= found["high"])).all()
    share = found.set_index(["verdict", "rows", "true_high"])["found"]
    for verdict in found["verdict"].unique():
        small, large = (share[verdict, 900, (1 + error_rates.BIN) * s] for s in (0.02, 0.2))
        assert large >= 75 and small < large


def test_small_last_batches():
    anchors = [16, 200, 216, 400]
    valid = xr.DataArray(np.full((3, 1, 1, 4), 0.5), dims=("dataset", "outer", "inner", "anchor"),
                         coords={"dataset": [1, 2, 3], "anchor": anchors})
    valid[1, ..., 3], valid[2, ..., 2:] = np.nan, np.nan
    table = verdicts.small_last_batches(valid, 200, below=24)
    assert table.to_numpy().tolist() == [[2, 216, 16]]  # 400 is whole batches, 200 a single one


def test_single_pair_has_the_test_s_level_on_independent_repeats(monkeypatch):
    def independent(shape, n, seed, rows):
        values = np.random.default_rng(seed).normal(size=(n, 5, 5, 12))
        return xr.DataArray(values, dims=("curve", "outer", "inner", "anchor"),
                            coords={"anchor": np.arange(16, 28)})

    monkeypatch.setattr(error_rates, "simulate_curves", independent)
    table = error_rates.single_pair(2000, seed=0)
    assert len(table) == 5
    assert table["low"].lt(6).all() and table["high"].gt(4).all()


@pytest.mark.parametrize("called, curves", [(0, 10), (3, 10), (10, 10)])
def test_binomial_intervals(called, curves):
    row = error_rates.with_binomial_interval(
        pd.DataFrame({"called": [called], "curves": [curves]})).iloc[0]
    low = stats.beta.ppf(0.025, called, curves - called + 1) if called else 0
    high = stats.beta.ppf(0.975, called + 1, curves - called) if called < curves else 1
    assert row[["rate", "low", "high"]].tolist() == pytest.approx(
        [100 * called / curves, 100 * low, 100 * high], abs=1e-6)


def test_no_curves_no_rate():
    table = error_rates.with_binomial_interval(pd.DataFrame({"called": [0], "curves": [0]}))
    assert table[["rate", "low", "high"]].isna().all(axis=None)


def test_figures_of_tables():
    bumps = pd.DataFrame({"anchor": [100, 609, 700, 5000], "excess": [0.0, 0.2, 0.1, 0.05],
                          "low": [-0.1, 0.1, 0.05, -0.1], "high": [0.1, 0.3, 0.2, 0.2]})
    assert sorted(t.get_text() for t in figures.draw_bumps(bumps).axes[0].texts) == ["609", "700"]
    shares = pd.DataFrame({"learner": ["A", "B"], "share": [2.0, 1], "points": [2.0, 1]})
    bars = figures.draw_contributions(shares, ("B",)).axes[0].patches
    assert bars[0].get_facecolor() != bars[1].get_facecolor()
    flat = pd.DataFrame({"learner": ["A", "B"], "beside_24": [2.0, 1], "beside_28": [3.0, 1]})
    assert figures.draw_flat(flat).axes[0].lines[0].get_xdata().tolist() == [1, 2]
    sizes = pd.DataFrame({"verdict": ["dipping"] * 3, "size": [0, 1e-17, 0.1]})
    bins = figures.draw_rounding(sizes).axes[3].patches
    assert sum(b.get_height() for b in bins) == 3
    medians = pd.DataFrame({"learner": "TabNet", "anchor": [16, 18], "median": 0.5, "low": 0.4,
                            "high": 0.6})
    drops = pd.DataFrame({"learner": ["TabNet"], "anchor": [18], "curves": [1], "of": [4]})
    assert figures.draw_tabnet(medians, drops).axes[1].lines[0].get_ydata().tolist() == [25]
