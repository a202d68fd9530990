"""The share of datasets on which logistic regression is near the best: the paper's and ours."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.published.pmlbmini import LOGISTIC, OTHERS
from chapters.small_data import margins as chapter


@pytest.fixture
def files(published, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))


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
    assert list(table.index) == list(chapter.RULES)
