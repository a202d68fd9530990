"""Rates, their intervals, and what the corrections change."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled
from scipy import stats

from analysis.databases import counted_curves
from analysis.shapes import detect_shapes
from analysis.shapes import rates as counting
from analysis.shapes.verdicts import VERDICTS
from collection.containers.learner_names import NOT_COUNTED
from collection.project.naming import UnknownNameError


@pytest.fixture
def shapes():
    """Verdicts drawn at random over 30 datasets, 2 learners, 2 scalings."""
    rng = np.random.default_rng(1)
    dims, sizes = ("dataset", "learner", "scaling"), (30, 2, 2)
    variables = {v: (dims, rng.random(sizes) < 0.3) for v in VERDICTS}
    for k, name in enumerate(("violation_mono", "violation_conv", "mono_i")):
        variables[name] = (dims, rng.random(sizes) * (k + 1))
    coords = {"dataset": np.arange(100, 130), "learner": ["A", "B"],
              "scaling": ["none", "minmax"], "name": ("dataset", [f"d{i}" for i in range(30)])}
    return xr.Dataset(variables, coords=coords)


def test_table_has_a_row_per_curve_with_verdicts_as_numbers(shapes):
    table = counting.curves_table(shapes)
    assert len(table) == 120
    assert list(table.columns[:3]) == ["dataset", "learner", "scaling"]
    assert tuple(table.columns[3:10]) == VERDICTS
    assert set(np.unique(table[list(VERDICTS)])) == {0, 1}
    row = table[(table.dataset == 105) & (table.learner == "B") & (table.scaling == "minmax")]
    assert row["peaking"].item() == shapes["peaking"].sel(
        dataset=105, learner="B", scaling="minmax").item()


def test_what_was_never_tried_has_no_row(shapes):
    tried = xr.ones_like(shapes["missing"], bool).drop_vars("name")
    tried.loc[{"dataset": 103, "scaling": "minmax"}] = False
    kept = counting.curves_table(shapes, tried.transpose("learner", "scaling", "dataset"))
    assert len(kept) == 30 * 4 - 2
    assert kept.query("dataset == 103")["scaling"].unique().tolist() == ["none"]
    named = kept.replace({"learner": {"A": "KNN", "B": "DummyClassifier"}})
    assert set(counting.counted(named)["learner"]) == {"KNN"} and "MixGaussianNB" in NOT_COUNTED


def test_shares_are_percent_by_any_column(shapes):
    table = counting.curves_table(shapes).assign(half=lambda t: t["dataset"] < 115)
    rates = counting.shape_shares(table, ["scaling", "half"], missing=True, wide=True)
    assert len(rates) == 4 and set(rates["n_curves"]) == {30}
    expected = 100 * shapes["dipping"].sel(scaling="none", dataset=slice(None, 114)).mean().item()
    assert rates["dipping"][0] == pytest.approx(expected)
    there = counting.shape_shares(shapes, ["learner"], most="peaking").query("verdict == 'peaking'")
    own = shapes.where(~shapes["missing"])["peaking"].mean(["dataset", "scaling"])
    assert there.set_index("learner")["rate"].to_dict() == pytest.approx(
        (100 * own).to_series().to_dict()) and there["rate"].is_monotonic_decreasing
    with pytest.raises(UnknownNameError, match="scaling"):
        counting.shape_shares(shapes, ["scalings"])


def test_only_large_violations_count_if_asked(shapes):
    some = shapes.assign(violation_mono=shapes["violation_mono"] / 10, violation_conv=0.0 * (
        shapes["violation_conv"]))
    large = counting.large_violations(some, 0.05)
    assert large.equals(shapes["non_monotone"] & (some["violation_mono"] >= 0.05))
    table = counting.curves_table(some, at_least=0.05)
    assert table["ill_behaved"].sum() == int(large.sum())


@pytest.fixture(scope="module")
def definitions():
    valid, tried = counted_curves("lcdb10", "none")
    some = [part.isel(dataset=slice(40)) for part in (valid, tried)]
    return (*some, counting.shares_by_definition(*some))


def test_the_definition_to_quote_leaves_missing_curves_out(definitions):
    valid, _, found = definitions
    exist, corrected = valid.notnull().any(["outer", "inner", "anchor"]), detect_shapes(valid)
    assert found["denominator"][0] == int(exist.sum()) < found["denominator"].max() == exist.size
    assert found["numerator"][0] == int(corrected["ill_behaved"].sum())
    assert (found["share"][1:3] < found["share"][0]).all()
    assert (found["low"] <= found["share"]).all()
    assert found["when to use it"].is_unique


def test_interval_covers_as_often_as_it_says():
    rng, hits = np.random.default_rng(3), 0
    for _ in range(100):
        verdict = rng.random(200) < 0.3
        table = pd.DataFrame({"database": "d", "procedure": "p", "scaling": "none",
                              "dataset": np.arange(200)} | {v: verdict for v in VERDICTS})
        row = counting.shape_shares(table, missing=True).iloc[0]
        hits += row["low"] <= 30 <= row["high"]
    assert 88 <= hits <= 99


def test_no_curve_of_many_is_no_proof_that_there_is_none():
    verdicts = {v: v == "flat" for v in VERDICTS}
    table = pd.DataFrame({"database": "d", "procedure": "p", "scaling": "none",
                          "dataset": [f"d{k}" for k in range(20)]} | verdicts)
    rows = counting.shape_shares(table, missing=True).set_index("verdict")
    exact = 100 * stats.binomtest(0, 20).proportion_ci(method="exact").high
    assert rows.loc["peaking", ["low", "high"]].tolist() == pytest.approx([0, exact])
    assert rows.loc["flat", ["low", "high"]].tolist() == pytest.approx([100 - exact, 100])


SIZES = [16, 23, 32, 45, 64, 91, 128, 181]
FALLS = np.linspace(0.5, 0.15, 8)
DIPS_EARLY = np.array([0.5, 0.3, 0.4, 0.45, 0.3, 0.2, 0.15, 0.1])
DIPS_FOR_GOOD = np.array([0.5, 0.2, 0.4, 0.45, 0.42, 0.41, 0.4, 0.4])
DIPS_LATE = np.array([0.5, 0.45, 0.4, 0.35, 0.3, 0.1, 0.25, 0.3])


def curves(*means):
    """One dataset a curve, one learner; 25 repeats that differ by next to nothing."""
    noise = np.random.default_rng(0).normal(scale=1e-3, size=(len(means), 1, 5, 5, 8))
    return labelled(np.array(means)[:, None, None, None, :] + noise,
                    "dataset learner outer inner anchor", dataset=np.arange(len(means)),
                    learner=["KNN"], outer=range(5), inner=range(5), anchor=SIZES)


def test_a_dip_lasts_where_the_curve_stays_up():
    row = counting.lasting_dips(curves(FALLS, DIPS_EARLY, DIPS_FOR_GOOD, DIPS_LATE)).iloc[0]
    assert (row["curves"], row["half"], row["last"], row["new"]) == (4, 2, 50, 1)
    assert row["well"] == pytest.approx(50)  # one of the two without a dip at half


def test_half_of_the_sizes_is_half_of_those_that_a_curve_has():
    valid = curves(DIPS_LATE, DIPS_LATE)
    valid[1, ..., 7] = np.nan
    valid[1, ..., 0] = np.nan  # six sizes are left: 23 to 128, and half of them end at 45
    assert counting.lasting_dips(valid).iloc[0]["half"] == 0
    valid = curves(DIPS_EARLY)
    valid[..., 3:] = np.nan  # three sizes: no half to speak of
    assert counting.lasting_dips(valid).iloc[0]["curves"] == 0


def test_what_is_better_high_is_turned_and_curves_have_all_measures():
    bad, good = curves(DIPS_FOR_GOOD, FALLS), curves(FALLS, FALLS)
    valid = xr.Dataset({"error_rate": bad, "f1": 1 - bad, "auc": 1 - good, "log_loss": good})
    there = xr.ones_like(bad.isel(outer=0, inner=0, anchor=0, drop=True), bool)
    table = counting.shares_by_measure(valid, there).set_index("measure")["ill_behaved"]
    assert table.tolist() == [50, 50, 0, 0]
    valid["auc"][{"dataset": 0}] = np.nan
    table = counting.shares_by_measure(valid, there)
    assert table["curves"].tolist() == [1] * 4
    assert table["ill_behaved"].tolist() == [0] * 4
