"""What a notebook keeps and says: numbers by key, sentences with them, and what lacks."""

import math
import shutil

import pandas as pd
import pytest
from notebook_runs import run

import analysis
from analysis.notebook import Number, plain, read_numbers
from analysis.statistics import Summary
from collection.project.naming import UnknownNameError
from collection.project.paths import DATA


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return analysis.Page("mine")


def test_numbers_are_written_with_their_intervals_and_read_back(page, tmp_path):
    page.keep("share", Summary(12.24, 10.0, 14.5, 112), unit="%", digits=1, note="of curves")
    page.keep("who", "random forest")
    page.keep_row("gap", {"value": -0.014, "low": -0.03, "high": 0.01}, "value", scale=100,
                  digits=1, unit="points")
    page.close()
    kept = read_numbers(tmp_path / "results" / "mine" / "numbers.csv").set_index("key")
    assert kept.loc["share", ["value", "low", "n"]].tolist() == [12.24, 10.0, 112]
    assert kept.loc["who", "value"] == "random forest"
    assert page["gap"].ci == "−1.4 points [−3.0, 1.0]" and page["gap"] == "−1.4 points"
    assert page["share"].range == "10.0 to 14.5 %" and page["who"].ci == "random forest"


def test_what_is_not_there_is_neither_kept_nor_said(page, capsys):
    with pytest.raises(ValueError, match="nothing to say"):
        page.keep("share", math.nan)
    page.keep("share", 5)
    with pytest.raises(ValueError, match="there already"):
        page.keep("share", 6)
    with pytest.raises(UnknownNameError, match="Did you mean 'share'"):
        page.say("Of all {shares}.")
    with pytest.raises(UnknownNameError, match="share"):
        page["shar"]


def test_a_number_cited_of_another_page_is_that_pages_or_the_one_kept(page, tmp_path):
    kept = page.cite("curves", "da1", "ill_behaved")
    other = tmp_path / "results" / "da1"
    other.mkdir(parents=True)
    pd.DataFrame([["ill_behaved", 7, None, None, "", 0, None, ""]], columns=[
        "key", "value", "low", "high", "unit", "digits", "n", "note"]).to_csv(
            other / "numbers.csv", index=False)
    assert kept == "8.2 %" and page.cite("own", "da1", "ill_behaved") == "7"
    assert page.cite("again", "da1", "ill_behaved", kept=True) == kept
    with pytest.raises(UnknownNameError, match="ill_behaved"):
        page.cite("none", "da1", "ill_behave")


def test_words_that_only_the_book_knows_are_written_plainly():
    assert plain(":::{container} answer\nOf {cite}`lcdb11` see [](da2.md).\n:::\n") == (
        "Of (lcdb11) see *da2*.\n")
    assert plain("a {term}`curve <curves>` and {glue:text}`share`") == (
        "a curve and {glue:text}`share`")
    assert isinstance(Number(0.5, unit="%", digits=1), str)


def test_a_page_that_lacks_something_ends_there(tmp_path):
    ran = run("leakage", tmp_path, database="lcdb10")
    assert "cannot tell" in ran.said and ran.said.count("\n\n") <= 3
    assert not any(cell.get("outputs") for cell in ran.notebook.cells[-4:])


def test_a_page_whose_data_are_not_at_hand_says_so_in_a_sentence(tmp_path):
    part = tmp_path / "part"
    part.mkdir()
    for name in ("datasets.csv", "vehicle.parquet"):
        shutil.copy(DATA / "lcdb11-anew" / name, part)
    ran = run("leakage", tmp_path, database=str(part))
    assert "part lacks curves. The repository's folder data/" in ran.said
    assert not any(cell.get("outputs") for cell in ran.notebook.cells[-4:])
