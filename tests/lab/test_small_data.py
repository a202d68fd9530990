"""PMLBmini's datasets and the paper's margins: by its files, by hand, as it prints them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab import pmlbmini


@pytest.fixture
def files(published, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    return published / "pmlb"


def test_facts_are_those_of_the_files(files):
    index = pd.read_csv(files / "index.csv").set_index("dataset")
    facts = pmlbmini.dataset_facts().set_index("dataset")
    for column in ("rows", "features"):
        pd.testing.assert_series_equal(facts[column].sort_index(), index[column].sort_index())
    assert facts["reduced"].sum() == 24 and facts.loc["corral", "repeated_rows"] == 96
    gaps = pmlbmini.coded_gaps().groupby("dataset")["cells"].sum()
    assert gaps["vote"] == gaps["house_votes_84"] == 392


def test_the_papers_percentages_come_from_rounding(published):
    found = pmlbmini.margins(pmlbmini.published_test_auc())
    percent = {rule: [round(100 * (found[rule] <= limit + 1e-9).mean()) for limit in range(4)]
               for rule in found}
    assert percent["rounded"] == [16, 34, 48, 55]
    assert percent["full"] == [7, 27, 45, 50]


def test_tests_differ_by_precision_and_on_the_reduced_suite(files):
    table = pmlbmini.published_tests()
    assert set(table["datasets"]) == {44, 24} and len(table) == 40
    reduced = table[(table["datasets"] == 24) & (table["precision"] == "rounded")]
    assert reduced["p_adjusted"].min() == pytest.approx(0.013, abs=5e-4)


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=5), st.sampled_from(range(4)))
def test_margins_against_whole_numbers(thousandths, limit):
    auc = pd.DataFrame([np.array(thousandths) / 1000], ["d"], [*pmlbmini.OTHERS, pmlbmini.LOGISTIC])
    printed = [int((t + 5) // 10) for t in thousandths]
    within = (pmlbmini.margins(auc) <= limit + 1e-9).loc["d"]
    assert within["rounded"] == (max(printed[:4]) - printed[4] <= limit)
    assert within["full"] == (max(thousandths[:4]) - thousandths[4] <= 10 * limit)
