"""Rates, their intervals, and what the corrections change."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

from analysis import load_curves
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


def test_of_another_measure_less_is_better_too():
    area = counted_curves("mini", "none", ["KNN"], metric="auc")[0]
    known = load_curves("mini")["auc"].sel(
        split="valid", scaling="none", leakage="no", learner=["KNN"], dataset=area["dataset"])
    np.testing.assert_allclose(area, 1 - known.transpose(*area.dims))


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
