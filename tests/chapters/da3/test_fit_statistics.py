import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from published_data import LCDB11
from scipy import stats
from scipy.special import gammaln

from analysis.fitting import fit_curves
from chapters.da3.effects import compare_fits, relate_to_violation

RNG = np.random.default_rng(0)
ILL = xr.DataArray(RNG.random((40, 10)) < 0.3, dims=("dataset", "learner"))
SIZE = xr.DataArray(RNG.random((40, 10)), dims=("dataset", "learner"))


def errors(ill_factor: float) -> xr.DataArray:
    log = -4 + RNG.standard_normal((40, 10)) + np.log10(ill_factor) * ILL
    return (10**log).expand_dims(model=["POW4"]).transpose("learner", "model", "dataset")


def test_a_known_ratio_lies_in_its_interval():
    row = compare_fits(errors(10), ILL).iloc[0]
    assert row["ratio_low"] < 10 < row["ratio_high"]
    assert row["g_low"] < 1 < row["g_high"]
    assert row["n_ill"] == ILL.sum()
    assert row["n_well"] + row["n_ill"] == ILL.size
    assert row["ratio"] == pytest.approx(
        10 ** (row["mean_log_mse_ill"] - row["mean_log_mse_well"]))
    assert row["welch_p"] < 1e-6


def test_without_a_difference_the_intervals_hold_none_at_their_level():
    inside = 0
    for _ in range(100):
        row = compare_fits(errors(1), ILL, level=0.8).iloc[0]
        inside += row["ratio_low"] < 1 < row["ratio_high"]
    assert stats.binomtest(int(inside), 100, 0.8).pvalue > 1e-3


def test_welch_agrees_with_scipy_on_both_scales():
    mse = errors(3)
    row = compare_fits(mse, ILL).iloc[0]
    flat, ill = mse.isel(model=0).transpose("dataset", "learner").values, ILL.values
    for key, scale in (("welch_p", np.log), ("welch_p_raw", lambda x: x)):
        expected = stats.ttest_ind(scale(flat[ill]), scale(flat[~ill]), equal_var=False).pvalue
        assert row[key] == pytest.approx(expected)


def test_hedges_g_corrects_for_few_curves():
    mse = errors(10).isel(dataset=slice(0, 3), learner=slice(0, 4))
    ill = xr.DataArray([[True, False, True, False]] * 3, dims=("dataset", "learner"))
    high, low = (np.log10(mse.isel(model=0).where(i).values[~np.isnan(mse.isel(model=0).where(i))])
                 for i in (ill, ~ill))
    n = len(high) + len(low) - 2
    cohens_d = (high.mean() - low.mean()) / np.sqrt((high.var(ddof=1) + low.var(ddof=1)) / 2)
    exact = np.exp(gammaln(n / 2) - gammaln((n - 1) / 2)) / np.sqrt(n / 2)
    assert 0.90 < exact < 0.93  # of Hedges (1981), which the usual formula comes close to
    row = compare_fits(mse, ill).iloc[0]
    assert row["hedges_g"] == pytest.approx(cohens_d * exact, rel=2e-3)


def test_the_line_and_the_rank_correlation_are_found():
    mse = np.exp(8 * SIZE - 9 + 0.3 * RNG.standard_normal((40, 10))).expand_dims(model=["WBL4"])
    row = relate_to_violation(mse, SIZE).iloc[0]
    assert row["slope_low"] < 8 < row["slope_high"]
    assert row["intercept"] == pytest.approx(-9, abs=0.2)
    assert row["spearman_low"] < row["spearman"] < row["spearman_high"]
    assert row["spearman"] == pytest.approx(
        stats.spearmanr(SIZE.values.ravel(), mse.values.ravel()).statistic)


def test_missing_exact_and_lonely_curves():
    mse = errors(10).where(SIZE > 0.2)
    row = compare_fits(mse, ILL).iloc[0]
    assert row["n_well"] + row["n_ill"] == (SIZE > 0.2).sum()
    exact = mse.where(SIZE < 0.9, 0.0)
    assert compare_fits(exact, ILL).iloc[0]["n_exact"] == (SIZE >= 0.9).sum()
    none = compare_fits(mse, ILL & False).iloc[0]
    assert none["n_ill"] == 0
    assert "welch_p" not in none or np.isnan(none["welch_p"])
    assert relate_to_violation(mse, SIZE.where(False)).iloc[0]["n"] == 0


def test_published_cc18_means():
    if not LCDB11.is_dir():
        pytest.skip(f"needs the folder of published data, {LCDB11}")
    meta = json.loads((LCDB11 / "meta.json").read_text())
    ids = pd.read_csv(LCDB11 / "metadata" / "datasets_CC18_ids.csv")["datasets_CC18_ids"][:12]
    means = np.stack([np.array(json.loads((LCDB11 / "er" / f"{i}.json").read_text()), float)
                      [:23, 0, :, 1] for i in ids])
    curves = xr.DataArray(means, dims=("dataset", "learner", "anchor"),
                          coords={"anchor": meta["anchors"]})
    mse = fit_curves(curves, ["POW4"])["mse"]
    running = xr.DataArray(np.fmin.accumulate(means, axis=2), dims=curves.dims)
    rise = (curves - running).max("anchor")
    row = relate_to_violation(mse, rise).iloc[0]
    assert row["n"] > 200
    assert row["spearman_low"] > 0.5
    assert row["slope_low"] > 0
