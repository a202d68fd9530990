import numpy as np
import pandas as pd
import pytest
from contest_cases import database

from analysis import selection
from analysis.selection import halving
from collection.project.naming import UnknownNameError

GROUPS = {"flat": ["KNN", "LDA"], "steep": ["MLP", "QDA", "KNN"]}
SETTINGS = (("full", {}), ("oracle", {}), ("early", {"doublings": 1}))


@pytest.fixture(scope="module")
def ladders():
    values = np.random.default_rng(5).random((20, 5, 3, 2, 6))
    return selection.build_ladders(database(values, test=values + 0.01))


def test_the_frame_has_a_row_per_context_group_and_setting(ladders):
    frame = selection.compare_strategies(ladders, GROUPS, SETTINGS)
    assert frame.columns.tolist() == [
        "database", "procedure", "dataset", "outer", "group", "strategy", "params", "chosen",
        "test_error", "regret", "rank", "fits", "rows", "seconds"]
    assert len(frame) == 20 * 3 * 2 * 3
    assert frame["params"].unique().tolist() == ["", "doublings=1"]
    for group, learners in GROUPS.items():
        assert set(frame.loc[frame["group"] == group, "chosen"]) == set(learners)


def test_unknown_names_are_refused(ladders):
    with pytest.raises(UnknownNameError, match=r"strategy.*halving"):
        selection.run_strategy(selection.open_contest(ladders, "g", ["KNN", "LDA"]), "halvin", {})
    with pytest.raises(UnknownNameError, match="learner"):
        selection.compare_strategies(ladders, {"g": ["KNN", "LDB"]}, SETTINGS)


def test_the_halving_table_sums_up_the_rows_of_the_harness(ladders, monkeypatch):
    monkeypatch.setattr(halving, "GRID", [
        {"start": start, "increase": 1.0, "dropout": 1} for start in (16, 32)])
    table = selection.halving_frame(ladders, GROUPS)
    assert {"database", "group", "start", "increase", "dropout", "k", "top_k_rate", "regret",
            "procedure"} <= set(table.columns)
    assert len(table) == 2 * (1 + 2)  # k from 1 to one less than the group
    contest = selection.open_contest(ladders, "steep", GROUPS["steep"])
    rows = selection.run_strategy(contest, "halving", {"start": 32, "increase": 1.0, "dropout": 1})
    part = table[(table["group"] == "steep") & (table["start"] == 32)].set_index("k")
    assert part.loc[1, "regret"] == pytest.approx(rows["regret"].mean())
    for k in (1, 2):
        assert part.loc[k, "top_k_rate"] == pytest.approx((rows["rank"] <= k).mean())
    summary = selection.summarise_strategies(pd.concat(
        [rows, selection.run_strategy(contest, "full", {})], ignore_index=True)).iloc[0]
    for name in ("regret", "regret_low", "regret_high"):
        assert part.loc[1, name] == pytest.approx(summary[name])
    assert part.loc[1, "top_k_low"] == pytest.approx(summary["top_1_rate_low"])


def test_the_summary_averages_over_datasets_and_relates_costs_to_full_evaluation(ladders):
    frame = selection.compare_strategies(ladders, GROUPS, SETTINGS)
    summary = selection.summarise_strategies(frame)
    assert len(summary) == 6
    keyed = summary.set_index(["group", "strategy"])
    assert (keyed.xs("full", level=1)[["fits_share", "rows_share", "seconds_share"]] == 1).all(None)
    assert keyed.loc[("flat", "oracle"), "fits_share"] == pytest.approx(1 / 2)
    assert keyed.loc[("steep", "oracle"), "regret"] == 0
    early = keyed.loc[("steep", "early")]
    part = frame[(frame["group"] == "steep") & (frame["strategy"] == "early")]
    assert early["regret"] == pytest.approx(part.groupby("dataset")["regret"].mean().mean())
    assert early["regret_low"] < early["regret"] < early["regret_high"]
    assert summary.equals(selection.summarise_strategies(frame))


def test_the_summary_needs_full_evaluation(ladders):
    frame = selection.compare_strategies(ladders, GROUPS, [("oracle", {})])
    with pytest.raises(ValueError, match=r"full evaluation.*flat, steep"):
        selection.summarise_strategies(frame)
