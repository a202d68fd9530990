"""The page on small tables: what comes out of the paper's claims, and what a wrong one would."""

import pytest
from notebook_runs import run

from analysis.published import DIFFERENT, EQUAL, recall

GIVEN = {"close": 2}


def verdicts(page, start):
    claims = page.table("claims")
    return claims.loc[claims["claim"].str.startswith(start), "verdict"].value_counts()


def test_what_is_asked_of_the_baselines_holds(page):
    for method in ("LightGBM", "XGBoost", "CatBoost"):
        assert verdicts(page, f"Table 4: test AUC of {method} ")[EQUAL] == 44
    for start, least in (("λ*", 43), ("train AUC", 43), ("median", 50)):
        assert verdicts(page, f"Table 3: {start}")[EQUAL] >= least
    assert verdicts(page, "Table 2")[EQUAL] == 35
    assert verdicts(page, "diverse problems")[DIFFERENT] == 1


def test_no_claim_counts_twice(page):
    once = page.table("claims")
    assert once["claim"].is_unique and once["verdict"].notna().all()
    assert sum(page.numbers.loc[["equal", "near", "own_way", "different"], "value"]) == len(once)
    shares = once[once["claim"].str.startswith("datasets on which")]
    assert len(shares) == 4 and set(shares["verdict"]) == {"only by the paper's own way"}
    same = once[once["claim"].str.contains("TabPFN differs")].iloc[0]
    assert same["verdict"] == EQUAL and same["otherwise"].startswith("yes")
    leaders = once[once["claim"].str.startswith("meta-feature")]
    assert (leaders["verdict"] != EQUAL).any() and leaders["otherwise"].notna().all()


def test_sentences_follow_the_parameter(page):
    assert "at most 2 percentage points below" in page.said and "prints 48 %" in page.said
    assert page.numbers.loc["p_tabpfn", "value"] == pytest.approx(0.0008, abs=5e-5)
    assert page.numbers.loc["full_2", "value"] == pytest.approx(100 * 20 / 44)
    auc = recall("small_data_auc").set_index("dataset").drop(columns="computed_on")
    near = {method: (auc.drop(columns=method).max(axis=1) - auc[method] < 0.02).mean()
            for method in auc}
    assert page.numbers.loc["rival_close", "value"] == pytest.approx(100 * max(near.values()))
    assert f"about as seldom as {min(near, key=near.get)}" in page.said


def test_differences_are_means_of_exact_numbers(page):
    auc = recall("small_data_auc")
    gap = auc["TabPFN"] - auc["Logistic regression"]
    row = page.table("differences").set_index(["method", "source"]).loc[
        ("TabPFN", "the paper's results")]
    assert row["difference"] == pytest.approx(100 * gap.mean())
    assert row["ahead"] == (gap > 0).sum() and row["low"] < row["difference"] < row["high"]


def test_shares_that_the_paper_does_not_print_are_refused(tmp_path):
    assert "none within 5" in run("small_data", tmp_path, close=5).said
