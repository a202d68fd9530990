"""The paper's claims: what comes out, and that a wrong number is seen."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.published.computed import recall
from analysis.published.printed import DIFFERENT, EQUAL, published_table
from chapters import small_data as small
from chapters.facts import as_texts
from chapters.small_data import claims as checks
from chapters.small_data import margins as chapter
from chapters.small_data.datasets import coded_gaps, dataset_facts
from chapters.small_data.margins import share_within
from lab.pmlbmini import LOGISTIC, OTHERS, baseline_means

NAMES = ("table1", "table2", "table3", "medians", "table4")


@pytest.fixture(scope="module")
def evidence():
    margins = recall("small_data_margins").set_index("dataset").drop(columns="computed_on")
    return checks.Evidence({name: published_table(f"pmlbmini_{name}") for name in NAMES},
                           baseline_means(), recall("small_data_datasets"),
                           recall("small_data_gaps"), 4,
                           share_within(margins), recall("small_data_tests"), 1,
                           recall("meta_features_methods"))


@pytest.fixture(scope="module")
def claims(evidence):
    return checks.check_claims(evidence)


def verdicts(claims, start):
    return claims.loc[claims["claim"].str.startswith(start), "verdict"].value_counts()


def test_what_is_asked_of_the_baselines_holds(claims):
    for method in ("LightGBM", "XGBoost", "CatBoost"):
        assert verdicts(claims, f"Table 4: test AUC of {method} ")[EQUAL] == 44
    assert verdicts(claims, "Table 3: λ*")[EQUAL] >= 43
    assert verdicts(claims, "Table 3: train AUC")[EQUAL] >= 43
    assert verdicts(claims, "Table 3: median")[EQUAL] == 50
    assert verdicts(claims, "Table 2")[EQUAL] == 35
    leaders = claims[claims["claim"].str.startswith("meta-feature")]
    assert (leaders.loc[leaders["rule"].str.contains("by the dataset's name"), "verdict"]
            == DIFFERENT).all()
    assert (leaders.loc[leaders["rule"].str.contains("position"), "verdict"] == EQUAL).sum() >= 2
    assert list(claims) == checks.COLUMNS and claims["verdict"].notna().all()


def test_a_wrong_number_is_seen(evidence, claims):
    table = evidence.tables["table4"]
    wrong = table.assign(value=(table["value"] + 0.05).round(2))
    again = checks.check_claims(replace(evidence, tables=evidence.tables | {"table4": wrong}))
    assert verdicts(again, "Table 4")[DIFFERENT] == 132
    fewer = checks.check_claims(replace(evidence, twins=0))
    said = fewer[fewer["claim"].str.startswith("diverse")]
    assert said["verdict"].item() == EQUAL
    assert checks.count_claims(claims)["claims"].sum() == len(claims)


@pytest.fixture
def files(published, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    return published / "pmlb"


def test_facts_are_those_of_the_files(files):
    index = pd.read_csv(files / "index.csv").set_index("dataset")
    facts = dataset_facts().set_index("dataset")
    for column in ("rows", "features"):
        pd.testing.assert_series_equal(facts[column].sort_index(), index[column].sort_index())
    assert facts["reduced"].sum() == 24 and facts.loc["corral", "repeated_rows"] == 96
    gaps = coded_gaps().groupby("dataset")["cells"].sum()
    assert gaps["vote"] == gaps["house_votes_84"] == 392


def test_no_claim_counts_twice(claims):
    once = checks.one_per_claim(claims)
    assert once["claim"].is_unique and set(once["claim"]) == set(claims["claim"])
    shares = once[once["claim"].str.startswith("datasets on which")]
    assert len(shares) == 4 and set(shares["verdict"]) == {checks.BY_ITS_OWN_WAY}
    same = once[once["claim"].str.contains("TabPFN differs")].iloc[0]
    assert same["verdict"] == EQUAL and same["otherwise"].startswith("yes")


def test_the_chapters_facts_and_tables_take_these():
    study = small.compute()
    said = as_texts(small.facts(study))
    assert (said["rounded_3"], said["full_3"]) == ("55 %", "50 %")
    assert said["p_tabpfn"] == "0.0008" and said["problems"] == "40"
    assert sum(int(said[k]) for k in ("equal", "near", "own_way", "different")) == int(
        said["claims"])
    printed = study.auc[small.PAPER]
    gap = printed["TabPFN"] - printed["Logistic regression"]
    row = study.tables["differences"].set_index(["method", "source"]).loc[("TabPFN", small.PAPER)]
    assert row["difference"] == pytest.approx(100 * gap.mean())
    assert (printed * 100 % 1 > 1e-6).any(axis=None)  # exact, not as Table 3 prints it
    assert row["ahead"] == (gap > 0).sum() and row["low"] < row["difference"] < row["high"]


def test_the_papers_percentages_come_from_rounding(published):
    margins = chapter.published_margins().set_index("dataset")
    found = chapter.share_within(margins).round({"percent": 0})
    percent = found.set_index(["rule", "within"])["percent"]
    assert percent["rounded"].tolist() == [16, 34, 48, 55]
    assert percent["full"].tolist() == [7, 27, 45, 50]
    assert percent["relative"].tolist()[1:] == [18, 34, 48]
    assert found.query("rule == 'rounded'")["n_datasets"].tolist() == [7, 15, 21, 24]


def test_tests_differ_by_precision_and_on_the_reduced_suite(files):
    table = chapter.published_tests()
    assert set(table["datasets"]) == {44, 24} and len(table) == 40
    reduced = table[(table["datasets"] == 24) & (table["precision"] == "rounded")]
    assert reduced["p_adjusted"].min() == pytest.approx(0.013, abs=5e-4)


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=5), st.sampled_from(chapter.PERCENTS))
def test_margins_against_whole_numbers(thousandths, limit):
    auc = pd.DataFrame([np.array(thousandths) / 1000], ["d"], [*OTHERS, LOGISTIC])
    printed = [int((t + 5) // 10) for t in thousandths]
    table = chapter.share_within(chapter.margins(auc), (limit,)).set_index("rule")["n_datasets"]
    assert table["rounded"] == (max(printed[:4]) - printed[4] <= limit)
    assert table["full"] == (max(thousandths[:4]) - thousandths[4] <= 10 * limit)
    assert list(table.index) == ["rounded", "full", "relative"]
