"""Estimates from means: the unpaired test, and ranges calibrated where repeats are known."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled

from analysis.published.computed import recall
from analysis.shapes import detect_shapes
from lab import from_means as made

LEARNERS = ("falls", "rises", "bulges", "constant", "missing")


def curves(n_datasets: int, noise: float, seed: int) -> xr.DataArray:
    """Curves on five sizes: one well-behaved, one that rises, one that bulges, two more."""
    shapes = np.array([[0.5, 0.4, 0.3, 0.25, 0.2], [0.5, 0.4, 0.3, 0.3, 0.36],
                       [0.3, 0.3, 0.36, 0.2, 0.1], [0.5] * 5, [np.nan] * 5])
    draws = np.random.default_rng(seed).normal(0, noise, (n_datasets, 5, 5, 5, 5))
    draws[:, 3] = 0
    return labelled(shapes[:, None, None] + draws, "dataset learner outer inner anchor",
                    learner=list(LEARNERS), dataset=np.arange(n_datasets) + 10_000_000)


def source(name: str, n_datasets: int, noise: float, seed: int) -> made.Source:
    valid = curves(n_datasets, noise, seed)
    mean = valid.mean(made.REPEATS).round(made.DECIMALS)
    stderr = (valid.std(made.REPEATS, ddof=1) / 5).round(made.DECIMALS)
    return made.Source(name, valid, mean, made.judge_means(mean, stderr))


@pytest.fixture
def two(monkeypatch):
    """Two sets of curves to calibrate on, in the place of the real ones."""
    pair = (source("one", 40, 0.04, 0), source("other", 40, 0.06, 1))
    for cached in (made.sources, made.chances, made._told):
        monkeypatch.setattr(made, cached.__name__, cached.__wrapped__)
    monkeypatch.setattr(made, "sources", lambda: pair)
    return pair


def test_violations_of_means_are_those_of_repeats_and_clear_ones_stand():
    of = source("clear", 3, 0.001, 0)
    by_repeats, by_means = of.verdicts("corrected_independent"), made.called(of.judged)
    for name in made.JUDGED:
        np.testing.assert_array_equal(by_means[name], by_repeats[name])
    for name in ("violation_mono", "violation_conv"):  # rounding moves a mean by half a unit
        size = by_repeats[name].where(by_repeats[name] > 0.01)
        assert abs(of.judged[name] - size).max() < 2 * 10.0**-made.DECIMALS
    assert of.judged["missing"].sel(learner="missing").all()
    assert (made.classes_of(of.judged, "peaking")[:, 3] == made.CONSTANT).all()


def test_evidence_is_the_unpaired_test(two):
    at = {"dataset": 0, "learner": 1}
    judged, valid = two[0].judged.isel(at), two[0].valid.isel(at)
    means = valid.mean(made.REPEATS).round(4).values
    i, j = max(((i, j) for i in range(5) for j in range(i + 1, 5)),
               key=lambda pair: means[pair[1]] - means[pair[0]])
    spread = (valid.std(made.REPEATS, ddof=1) / 5).round(4).values
    t = (means[j] - means[i]) / np.hypot(spread[i], spread[j])
    p = made.stats.t.sf(t, 24) * 10
    assert float(judged["non_monotone"]) == pytest.approx(-np.log10(p))


def test_shares_of_curves_like_those_calibrated_on_lie_in_their_ranges(two):
    fresh = source("fresh", 60, 0.05, 2)
    true = detect_shapes(fresh.valid, "published")["non_monotone"].values
    assert 0.05 < true[:, :3].mean() < 0.95  # neither never nor always
    chance = made.chances("published", "non_monotone")
    classes = made.classes_of(fresh.judged, "non_monotone")
    expected, low, high = made.draw_shares(classes, chance, lambda v: v.mean(axis=(1, 2)))
    assert low <= true.mean() <= high and low < expected < high < low + 0.1
    each = made.draw_shares(classes, chance, made.per_learner)
    assert (each[:, -1] == 0).all()  # missing
    assert (each[0] >= each[1]).all() and (each[0] <= each[2]).all()


def test_calibration_says_in_which_direction_means_err(two):
    table = made.calibration().set_index(["source", "verdict"])
    row = table.loc["one", "non_monotone"]
    assert row["difference"] == pytest.approx(row["by_means"] - row["by_repeats"])
    assert row["low"] <= row["difference"] <= row["high"] and row["curves"] == 160
    assert (table["covered"] <= table["cells"]).all() and (table["cells"] == 4).all()


def test_every_kept_estimate_has_a_range_that_its_verdict_follows():
    kept = recall("ledger_from_means", text=("published", "computed"))
    assert len(kept) > 300 and (kept["basis"] == "from means").all()
    inside = kept["published"].astype(float).between(kept["low"] - 0.5, kept["high"] + 0.5)
    assert inside[kept["verdict"].str.startswith("within")
                  & ~kept["item"].str.contains("ratio")].all()
    assert (kept["low"] <= kept["high"]).all()
