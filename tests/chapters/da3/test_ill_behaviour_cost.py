"""What ill-behaviour costs, against plain loops."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from chapters.da3.predictions import cost_of_all_data, ill_behaviour_cost, shape_leaders


@pytest.fixture
def table():
    """Errors of 300 predictions on 30 datasets; ill-behaved ones are 3 points worse."""
    rng = np.random.default_rng(2)
    n = 300
    group = np.where(rng.random(n) < 0.3, "ill-behaved", "well-behaved")
    learner = rng.choice(["A", "B", "C"], n)
    return pd.DataFrame({
        "dataset": rng.integers(30, size=n), "learner": learner, "group": group,
        "model": rng.choice(["POW4", "LAST1"], n),
        "points": rng.random(n) + 3 * (group == "ill-behaved") + 10 * (learner == "A"),
    })


def test_cost_is_the_gap_of_means_and_lies_in_its_interval(table):
    for row in ill_behaviour_cost(table, by=("model",)).itertuples():
        rows = table[table["model"] == row.model].groupby("group")["points"]
        mean = rows.mean()
        assert (row.n_ill, row.n_well) == tuple(rows.size()[["ill-behaved", "well-behaved"]])
        assert row.ill == pytest.approx(mean["ill-behaved"])
        assert row.cost == pytest.approx(mean["ill-behaved"] - mean["well-behaved"])
        assert row.cost_low < row.cost < row.cost_high


def test_same_learner_compares_every_ill_curve_with_its_learners_well_ones(table):
    well = table[table["group"] == "well-behaved"].groupby(["model", "learner"])["points"].mean()
    ill = table[table["group"] == "ill-behaved"]
    gaps = ill.assign(gap=[p - well[m, k] for p, m, k in
                           zip(ill["points"], ill["model"], ill["learner"], strict=True)])
    for row in ill_behaviour_cost(table, by=("model",)).itertuples():
        assert row.same_learner == pytest.approx(gaps[gaps["model"] == row.model]["gap"].mean())
        assert 2.5 < row.same_learner_low < row.same_learner < row.same_learner_high < 3.5


def test_learners_without_well_behaved_curves_are_left_out_of_same_learner(table):
    alone = table[(table["learner"] != "A") | (table["group"] == "ill-behaved")]
    without = table[table["learner"] != "A"]
    a, b = (ill_behaviour_cost(t, by=("model",)).set_index("model") for t in (alone, without))
    assert a["same_learner"].to_dict() == pytest.approx(b["same_learner"].to_dict())
    assert (a["ill"] > b["ill"]).all()


def test_cost_is_unknown_where_no_curve_is_ill_behaved(table):
    costs = ill_behaviour_cost(table[table["group"] == "well-behaved"], by=("model",))
    assert (costs["n_ill"] == 0).all()
    assert costs[["ill", "cost", "cost_low", "cost_high", "same_learner"]].isna().all(axis=None)
    assert costs["well"].notna().all()


def test_cost_of_all_data_chooses_on_validation_and_judges_on_test():
    anchors = [16, 23, 32, 45]
    valid = [[0.5, 0.2, 0.4, np.nan], [0.3, 0.2, 0.2, 0.2], [np.nan] * 4, [0.4, 0.3, 0.1, 0.3]]
    test = [[0.5, 0.25, 0.35, np.nan], [0.3, 0.2, 0.2, 0.1], [np.nan] * 4, [0.4, 0.3, np.nan, 0.2]]
    dims, coords = ("dataset", "anchor"), {"dataset": list("abcd"), "anchor": anchors}
    table = cost_of_all_data(xr.DataArray(valid, coords, dims),
                             xr.DataArray(test, coords, dims)).set_index("dataset")
    assert list(table.index) == ["a", "b", "d"]
    assert table.loc["a", ["best", "last"]].tolist() == [23, 32]
    assert table.loc["a", "points"] == pytest.approx(10)
    assert table.loc["b", ["best", "points"]].tolist() == [45, 0]
    assert table.loc["d", ["best", "points"]].tolist() == [45, 0]


def predictions(shape, errors, datasets):
    return pd.DataFrame([{"shape": shape, "dataset": d, "learner": x, "model": m, "points": p}
                         for m, p in errors.items() for d in range(datasets) for x in "AB"])


def test_the_closest_model_and_the_baseline_s_place():
    table = pd.concat([predictions("dipping", {"LAST1": 1.0, "POW3": 2.0, "POW4": 3.0}, 6),
                       predictions("phase transition", {"LAST1": 9.0, "POW3": 2.0, "POW4": 3.0}, 5),
                       predictions("peaking", {"LAST1": 1.0, "POW3": 2.0}, 4)])
    found = shape_leaders(table).set_index("shape")
    assert "peaking" not in found.index
    assert found.loc["dipping", ["model", "points", "last1_place"]].tolist() == ["LAST1", 1.0, 1]
    assert found.loc["phase transition", ["model", "last1", "last1_place"]].tolist() == [
        "POW3", 9.0, 3]
    assert found.loc["dipping", ["curves", "datasets", "models"]].tolist() == [12, 6, 3]


def test_a_curve_that_one_model_lacks_counts_for_none():
    table = predictions("dipping", {"LAST1": 1.0, "POW3": 2.0}, 6)
    table.loc[(table["model"] == "POW3") & (table["dataset"] == 0), "points"] = np.nan
    assert shape_leaders(table)["datasets"].tolist() == [5]
