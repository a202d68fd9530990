"""Rates, their intervals, and what the corrections change."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

from analysis.shapes import rates as counting
from analysis.shapes.verdicts import VERDICTS
from collection.containers.learner_names import NOT_COUNTED


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


def test_some_learners_and_what_was_never_tried_are_not_counted(shapes):
    named = shapes.assign_coords(learner=["KNN", "DummyClassifier"])
    table = counting.curves_table(named)
    assert set(counting.counted(table)["learner"]) == {"KNN"} and "MixGaussianNB" in NOT_COUNTED
    tried = xr.ones_like(named["missing"], bool).drop_vars("name")
    tried.loc[{"dataset": 103, "scaling": "minmax"}] = False
    kept = counting.as_table4(pd.concat([table, table]),
                              tried.transpose("learner", "scaling", "dataset"))
    assert len(kept) == 2 * (30 * 2 - 1)
    assert kept.query("dataset == 103")["scaling"].unique().tolist() == ["none"]
    modern = table.replace({"learner": {"KNN": "TabPFNv2"}})
    assert len(counting.counted(modern)) == 60
    assert counting.as_table4(modern, tried.assign_coords(learner=["TabPFNv2", "x"]))["scaling"].eq(
        "none").all()


def test_rates_are_percent_of_all_curves(shapes):
    table = counting.curves_table(shapes).assign(database="mine", procedure="corrected")
    rates = counting.shape_rates(table)
    assert list(rates["scaling"]) == ["none", "minmax"] and set(rates["n_curves"]) == {60}
    expected = 100 * shapes["dipping"].sel(scaling="none").mean().item()
    assert rates["dipping"][0] == pytest.approx(expected)
    assert len(counting.shape_rates(table, by=("learner",))) == 4


def test_interval_covers_as_often_as_it_says():
    rng, hits = np.random.default_rng(3), 0
    for _ in range(100):
        verdict = rng.random(200) < 0.3
        table = pd.DataFrame({"database": "d", "procedure": "p", "scaling": "none",
                              "dataset": np.arange(200)} | {v: verdict for v in VERDICTS})
        row = counting.rate_intervals(table).iloc[0]
        hits += row["low"] <= 30 <= row["high"]
    assert 88 <= hits <= 99


def test_no_curve_of_many_is_no_proof_that_there_is_none():
    verdicts = {v: v == "flat" for v in VERDICTS}
    table = pd.DataFrame({"database": "d", "procedure": "p", "scaling": "none",
                          "dataset": [f"d{k}" for k in range(20)]} | verdicts)
    rows = counting.rate_intervals(table).set_index("verdict")
    exact = 100 * stats.binomtest(0, 20).proportion_ci(method="exact").high
    assert rows.loc["peaking", ["low", "high"]].tolist() == pytest.approx([0, exact])
    assert rows.loc["flat", ["low", "high"]].tolist() == pytest.approx([100 - exact, 100])
