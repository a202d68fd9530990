"""The ledger: comparing as printed, covering the paper, and what the databases reproduce."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled
from published_data import LCDB11

from analysis.databases.lcdb11.summary import META, open_lcdb11_summary
from analysis.databases.load import load_curves
from analysis.ledger import build, numbers, papers
from analysis.ledger.build import KEYS, load_published
from analysis.ledger.checks import CHECKS, OFFICIAL, OLD, SUMMARY, Check
from analysis.published.printed import (
    CC18,
    CLOSE,
    DIFFERENT,
    EQUAL,
    FULL,
    NEEDS,
    OUTSIDE,
    WITHIN,
    compare,
    estimate,
    published_table,
)
from collection.containers.curves import SCALINGS
from collection.containers.learner_names import LEARNERS
from collection.official.lcdb11 import dataset_ids, datasets_table
from collection.project.paths import ROOT
from commands import COMMANDS

# Comparing as printed.

@pytest.mark.parametrize("published, computed, verdict, printed", [
    ("9.9", 9.937, EQUAL, "9.9"), ("9.9", 9.96, CLOSE, "10.0"), ("9.9", 10.06, DIFFERENT, "10.1"),
    ("60", 60.4, EQUAL, "60"), ("60", 61.4, CLOSE, "61"), ("60", 62, DIFFERENT, "62"),
    ("0.1322", 0.13224, EQUAL, "0.1322"), ("-9.01", -9.012, EQUAL, "-9.01"),
    ("6.8e-09", 6.84e-9, EQUAL, "6.8e-09"), ("6.8e-09", 6.84e-8, DIFFERENT, "6.8e-08"),
    ("0.0", -0.01, EQUAL, "0.0")])
def test_comparison(published, computed, verdict, printed):
    found = compare(published, computed)
    assert (found.verdict, found.printed) == (verdict, printed)
    assert found.difference == pytest.approx(computed - float(published))


@pytest.mark.parametrize("qualifier, computed, verdict", [
    ("more than", 10.1, EQUAL), ("more than", 9.9, DIFFERENT), ("at most", 10, EQUAL),
    ("at most", 10.4, DIFFERENT), ("fewer than", 10, DIFFERENT), ("about", 10.4, EQUAL)])
def test_bounds(qualifier, computed, verdict):
    assert compare("10", computed, qualifier).verdict == verdict


@pytest.mark.parametrize("published, low, high, qualifier, verdict", [
    ("9.9", 9.0, 9.86, "", WITHIN), ("9.9", 9.0, 9.84, "", OUTSIDE), ("9.9", 9.94, 11, "", WITHIN),
    ("10", 8, 11, "more than", WITHIN), ("10", 8, 9.9, "more than", OUTSIDE),
    ("2", 1.6, 1.9, "almost", WITHIN), ("2", 2.1, 2.3, "almost", OUTSIDE)])
def test_an_estimate_is_held_against_its_range(published, low, high, qualifier, verdict):
    assert estimate(published, (low + high) / 2, low, high, qualifier).verdict == verdict


# Covering the paper.

@pytest.fixture(scope="module")
def published():
    return load_published()


@pytest.mark.parametrize("check", CHECKS, ids=range(len(CHECKS)))
def test_every_check_covers_published_numbers(check, published):
    assert set(check.covers) <= set(KEYS)
    for column, names in check.covers.items():
        assert set(names) <= set(published[column]), column
    ledger = build.build_ledger({}, published, [check])
    assert len(ledger) and set(ledger["verdict"]) == {NEEDS}
    ledger["published"].astype(float)


def test_every_number_of_tables_3_to_9_is_covered(published):
    ledger = build.build_ledger({}, published)
    assert ledger.columns.tolist() == build.COLUMNS
    assert not ledger.duplicated(["source", "item"]).any()
    counts = ledger.groupby("source").size()
    expected = {"Table 3": 32, "Table 4": 49, "Table 5": 6, "Table 6": 36, "Table 7": 36,
                "Table 8": 1008, "Table 9": 24}
    assert {t: counts[t] for t in expected} == expected


def toy_ledger(published, *values, hand=("toy",), recalled=None):
    """Return a ledger whose checks compute values for CatBoost's row of Table 3 alone."""
    def check(value):
        table = pd.DataFrame([(FULL, "none", "CatBoost", "ill_behaved", value)],
                             columns=[*KEYS[1:], "computed"])
        return Check(("toy",), "toy", {"source": ("Table 3",)}, lambda curves: table,
                     "as the toy has it")
    return build.build_ledger(dict.fromkeys(hand, xr.Dataset()), published, map(check, values),
                              recalled)


def test_verdicts_and_reasons(published):
    ledger = toy_ledger(published, 1.52, 3.0, np.nan)
    done = ledger[ledger["verdict"] != NEEDS]
    assert done["verdict"].tolist() == [EQUAL, DIFFERENT]
    assert done["reason"].tolist() == ["", "as the toy has it"]
    assert done["published"].tolist() == ["1.5", "1.5"]
    assert done["computed"].tolist() == ["1.5", "3.0"]
    assert (ledger["verdict"] == NEEDS).sum() == 31 and ledger["item"].nunique() == 32


def test_what_came_out_before_stands_where_nothing_is_at_hand(published):
    ledger = toy_ledger(published, 1.5, 3.0)
    recalled = ledger[ledger["computed"] != ""].assign(basis=build.KEPT_ROW)
    ledger = toy_ledger(published, 1.5, hand=(), recalled=recalled)
    assert ledger.loc[ledger["basis"] == "kept", "computed"].tolist() == ["1.5", "3.0"]
    assert (ledger["verdict"] == NEEDS).sum() == 31


def check_nothing_lost(ledger, database):
    """Hold the numbers of a database that come out as printed against those that did before."""
    known = ["source", "item", "procedure", "database"]
    expected = pd.read_csv(ROOT / "book/published/reproduced.csv", dtype=str)
    expected = expected[expected["database"] == database]
    assert len(expected) > 10
    equal = ledger.loc[ledger["verdict"] == EQUAL, known]
    both = expected.merge(equal, how="left", indicator=True)
    assert (both["_merge"] == "both").all(), both[both["_merge"] != "both"].to_string()


@pytest.fixture
def others(tmp_path):
    """Results of the chapters on other papers: two rows each."""
    for checked in papers.PAPERS.values():
        (tmp_path / checked.file).parent.mkdir(parents=True, exist_ok=True)
        columns = dict.fromkeys([*checked.item, *checked.named, "published", "verdict"])
        row = dict.fromkeys(columns, "x")
        other = row | {checked.item[0]: "y", "verdict": "not testable"}
        pd.DataFrame([row | {"verdict": EQUAL}, other]).to_csv(
            tmp_path / checked.file, index=False)
    return tmp_path


def test_one_ledger_of_all_papers(published, others):
    ledger = toy_ledger(published, 1.5)
    together = papers.all_papers(ledger, others)
    assert list(together) == [*papers.COLUMNS, "standing"]
    assert together["paper"].drop_duplicates().tolist() == [papers.OWN, *papers.PAPERS]
    counts = papers.count_papers(together)
    wide = counts.pivot(index="paper", columns="standing", values="numbers").fillna(0)
    own = wide.loc[list(papers.PAPERS), ["reproduced", "cannot be told here"]]
    assert (own == 1).all(axis=None)
    assert wide.loc[papers.OWN].sum() == 32  # each number once


def test_a_verdict_that_is_not_known_is_named(published, others):
    ledger, file = toy_ledger(published, 1.5), others / papers.PAPERS["TabRepo"].file
    table = pd.read_csv(file)
    table.assign(verdict="maybe").to_csv(file, index=False)
    with pytest.raises(ValueError, match="does not know: maybe"):
        papers.all_papers(ledger, others)


def test_without_the_summary_its_kept_rows_speak(monkeypatch):
    monkeypatch.setattr(build, "databases_at_hand", lambda: ({}, {SUMMARY: "not here"}))
    ledger, lacking = build.ledger_at_hand()
    assert lacking == {SUMMARY: "not here"}
    kept = ledger[ledger["basis"] == "kept"]
    check_nothing_lost(ledger, SUMMARY)
    assert (ledger["computed"] != "").sum() >= 500
    estimates = ledger[ledger["basis"] == "from means"]
    assert set(estimates["verdict"]) == {WITHIN, OUTSIDE} and (kept["verdict"] != NEEDS).all()
    assert not set(estimates["item"] + estimates["source"]) & set(
        ledger.loc[ledger["verdict"] == NEEDS, "item"] + ledger["source"])


# What means determine, on curves made for it.

DIMS = "dataset learner scaling leakage"
PLAIN = [n.name for n in LEARNERS.values() if n.group != "mixed"]


@pytest.fixture(scope="module")
def made():
    """CC-18 curves: 1 − anchor/100; KNN's are flat, LDA is missing on the first 18 datasets."""
    anchors = np.array([16, 18, 20])
    curves = labelled(np.tile(1 - anchors / 100, (1, 72, 28, 1, 1, 1)), f"split {DIMS} anchor",
                      split=["valid"], dataset=dataset_ids("CC18"), learner=PLAIN,
                      scaling=["none"], leakage=["no"], anchor=anchors)
    curves.loc[{"learner": "KNN"}] = 0.82
    curves.loc[{"learner": "LDA", "dataset": dataset_ids("CC18")[:18]}] = np.nan
    return xr.Dataset({"error_rate": curves})


def value_of(table, learner, **chosen):
    for column, name in {"learner": learner, "database": CC18, **chosen}.items():
        table = table[table[column] == name]
    return table["computed"].item()


def test_missing_and_flat_are_counted_over_the_right_learners(made):
    assert value_of(numbers.missing_per_learner(made), "LDA") == 25
    assert value_of(numbers.missing_of_all(made), "all") == pytest.approx(25 / 27)
    assert value_of(numbers.flat_of_all(made), "all") == pytest.approx(100 / 27)
    flat = numbers.flat_beside_classic(made)
    assert value_of(flat, "KNN") == 100 and value_of(flat, "LDA") == 0
    assert "CatBoost" not in set(flat["learner"])


def test_flat_depends_on_the_learners_present(made):
    wide = made.copy(deep=True)
    wide["error_rate"].loc[{"learner": "TabNet", "anchor": 16}] = 100
    assert value_of(numbers.flat_beside_classic(wide), "Perceptron") == 0
    assert value_of(numbers.flat_beside_all(wide), "Perceptron") == 100


def test_smallest_errors(made):
    errors = numbers.smallest_errors(made)
    assert value_of(errors, "CatBoost") == pytest.approx(0.8)
    assert value_of(errors, "KNN") == pytest.approx(0.82)


def test_an_incomplete_selection_yields_nothing(made):
    assert numbers.missing_of_all(made.isel(dataset=slice(1, None))).empty


# What repeats determine, on repeats made for it.

@pytest.fixture(scope="module")
def official():
    """The container of all learners and scalings on CC-18, three anchors, seeded noise.

    MLP gets worse at the end without leakage, on every dataset; with leakage nothing differs for
    the others.
    """
    rng = np.random.default_rng(0)
    shape = (72, 28, 3, 1, 5, 5, 4)
    values = np.array([0.9, 0.6, 0.4, 0.3]) + 0.01 * rng.standard_normal(shape)
    values = np.concatenate([values, values], axis=3)
    values[:, PLAIN.index("MLP"), :, 0, ..., -1] += 0.5
    curves = labelled(values, f"{DIMS} outer inner anchor", dataset=dataset_ids("CC18"),
                      learner=PLAIN, scaling=list(SCALINGS), leakage=["no", "yes"],
                      anchor=[16, 18, 20, 23])
    modern = [n.name for n in LEARNERS.values() if n.group == "modern"]
    curves.loc[{"learner": modern, "scaling": ["minmax", "standard"]}] = np.nan
    return xr.Dataset({"error_rate": curves.expand_dims(split=["valid"])})


def test_shapes_of_the_official_files(official):
    table = numbers.shapes_of_lcdb11(official, "corrected")
    mlp = {"scaling": "none", "property": "non_monotone"}
    assert value_of(table, "MLP", **mlp) == 100
    assert value_of(table, "KNN", **mlp) == 0
    assert value_of(table, "all", **mlp) == pytest.approx(100 / 27)
    assert value_of(table, "all", scaling="minmax", property="dipping") == pytest.approx(100 / 23)
    assert value_of(table, "TabNet", scaling="minmax", property="missing") == 100


def test_stray_values_are_left_out_by_the_corrected_procedure(official):
    small = datasets_table().loc[dataset_ids("CC18"), "max_anchor"].idxmin()
    stray = official.assign_coords(anchor=[16, 18, 20, 1_000_000])
    kept = stray["error_rate"].sel(dataset=small, learner="MLP")
    assert (kept["anchor"] > datasets_table().loc[small, "max_anchor"]).any()
    for procedure, share in (("corrected", 0), ("published", 100)):
        table = numbers.shapes_of_lcdb11(stray, procedure)
        assert value_of(table, "MLP", scaling="none", property="non_monotone") == share


def test_leakage_changes(official):
    table = numbers.leakage_changes(official)
    assert value_of(table, "all", scaling="none") == pytest.approx(100 / 24)


def test_a_ledger_of_official_files_leaves_only_what_they_lack(official, published):
    ledger = build.build_ledger({OFFICIAL: official}, published)
    waiting = ledger[ledger["verdict"] == NEEDS]
    others = waiting[~waiting["item"].str.contains("FULL|LCDB 1.0,|Mix|anchor_")]  # of four sizes
    # Every curve of these is convex, so convexity has nothing to be compared with.
    assert set(others["item"].str.rpartition("_")[2]) <= {"convex"}


# What the databases reproduce.

def test_lcdb10_reproduces_what_it_did(published):
    ledger = build.build_ledger({OLD: load_curves(OLD, "paper")}, published)
    check_nothing_lost(ledger, OLD)
    table4 = ledger[(ledger["database"] == OLD) & (ledger["source"] == "Table 4")
                    & (ledger["procedure"] == "published")]
    assert table4["verdict"].eq(EQUAL).all() and len(table4) == 7


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_the_published_means_reproduce_what_they_did(published):
    ledger = build.build_ledger({SUMMARY: open_lcdb11_summary(LCDB11)}, published)
    check_nothing_lost(ledger, SUMMARY)
    sources = ledger[ledger["verdict"] == EQUAL].groupby("source").size()
    assert sources["Table 4"] == 4 and sources["Figure 7"] == 8
    assert set(ledger.loc[ledger["verdict"] == DIFFERENT, "reason"].unique()).isdisjoint({""})


def test_each_number_counts_once_by_the_best_verdict_it_has():
    ledger = pd.DataFrame([
        ("A", "1", DIFFERENT, "kept"), ("A", "1", EQUAL, "kept"), ("A", "2", DIFFERENT, "kept"),
        ("B", "3", DIFFERENT, "live"), ("B", "3", CLOSE, "kept"), ("B", "4", DIFFERENT, "live"),
        ("C", "5", NEEDS, ""), ("C", "6", WITHIN, "from means")],
        columns=["source", "item", "verdict", "basis"])
    assert build.best_known(ledger).tolist() == [EQUAL, DIFFERENT, CLOSE, DIFFERENT, NEEDS, WITHIN]
    counts = build.count_known(ledger).set_index("verdict")
    assert counts.query("numbers > 0")["numbers"].to_dict() == {
        EQUAL: 1, CLOSE: 1, WITHIN: 1, DIFFERENT: 2, NEEDS: 1}
    assert counts.query("kept > 0")["kept"].to_dict() == {EQUAL: 1, DIFFERENT: 1}


PRINTED = {"LCDB 1.1": (21, 10), "TabRepo": (7, 15), "OpenML suites": (3, 1), "PMLBmini": (5, 4)}
#: Sections, and appendices by their letters, of the papers around LCDB 1.1.
PARTS = {"TabRepo": (7, "ABCDEFGHIJ"), "OpenML suites": (9, "ABC"), "PMLBmini": (6, "ABC")}


def numbered(items, kind):
    """Return the numbers of all items of a kind, ranges opened: Tables 3 to 6, Section 5.2."""
    found = []
    for item in items:
        if re.match(rf"{kind}s? ", item):
            numbers = [int(n) for n in re.findall(r"(\d+)(?:\.\d)?", item)]
            found += range(numbers[0], numbers[-1] + 1) if " to " in item else numbers
    return found


@pytest.mark.parametrize("paper", PRINTED)
def test_figures_tables_and_sections_of_a_paper_are_all_there(paper):
    items = published_table("counterparts").query("paper == @paper")["item"]
    figures, n_tables = PRINTED[paper]
    assert sorted(numbered(items, "Figure")) == list(range(1, figures + 1))
    if paper in PARTS:
        assert sorted(numbered(items, "Table")) == list(range(1, n_tables + 1))
        sections, letters = PARTS[paper]
        assert set(numbered(items, "Section")) == set(range(1, sections + 1))
        named = "".join(item.partition(" ")[2] for item in items if item.startswith("Append"))
        assert sorted(re.findall("[A-Z]", named)) == list(letters)
    assert not items.duplicated().any()


def test_no_counterpart_is_without_a_state_and_each_leads_somewhere(capsys):
    table = published_table("counterparts").fillna("")
    assert set(table["paper"]) == set(PRINTED)
    assert table["state"].isin(["reproduced", "in part", "absent"]).all()
    assert ((table["lacking"] == "") == (table["state"] == "reproduced")).all()
    placed = table["state"] != "absent"
    assert ((table["chapter"] + table["command"])[placed] != "").all()
    assert (table["chapter"][~placed] == "").all()
    pages = set(", ".join(table["chapter"][table["chapter"] != ""]).split(", "))
    assert pages <= {path.stem for path in (ROOT / "book").glob("*.md")}
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for command in set(table["command"]) - {""}:
        made, target, *given = command.split()
        assert made == "make" and target in targets, command
        if target in COMMANDS and given:
            COMMANDS[target].run(["--help"])
            told = capsys.readouterr().out
            for name, _, value in (word.partition("=") for word in given):
                assert re.search(rf"\b{name}\b", told), command
                assert value in ("…", "yes", "all") or value in told, command
