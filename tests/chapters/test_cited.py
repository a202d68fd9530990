"""Pages that cite other chapters say their numbers, and say what is lacking."""

import re

import pandas as pd
import pytest

from chapters.cited import FINDINGS, Cited, Finding, cite, draw_finding
from chapters.facts import Facts, as_texts
from collection.project.naming import UnknownNameError
from collection.project.paths import RESULTS, ROOT


@pytest.fixture
def built(tmp_path):
    """A chapter with two facts."""
    rows = Facts()
    rows.add("share", 12.24, 10.0, 14.6, digits=1, unit="%", n=109)
    rows.add("leader", "naive Bayes")
    (tmp_path / "da1").mkdir()
    rows.table().to_csv(tmp_path / "da1" / "facts.csv", index=False)
    return tmp_path


def test_a_cited_fact_reads_as_in_its_chapter(built):
    table = cite([Cited("ill", "da1", "share", "all"), Cited("who", "da1", "leader")], built)
    texts = as_texts(table)
    assert texts["ill.ci"] == "12.2 % [10.0, 14.6]" and texts["who"] == "naive Bayes"
    drawn = draw_finding(Finding("it", "curves [%]", (Cited("ill", "da1", "share", "all"),)), table)
    assert [t.get_text() for t in drawn.axes[0].get_yticklabels()] == ["all"]


def test_what_is_lacking_is_named(built):
    with pytest.raises(UnknownNameError, match="Did you mean 'share'"):
        cite([Cited("ill", "da1", "shares")], built)
    with pytest.raises(FileNotFoundError, match=r"results/da3/facts\.csv is cited"):
        cite([Cited("ill", "da3", "share")], built)


def test_first_page_and_findings_tell_the_same_six():
    texts = [(ROOT / "book" / f"{name}.md").read_text() for name in ("intro", "findings")]
    for finding in FINDINGS:
        names = {fact.name for fact in finding.facts}
        for text in texts:
            cited = set(re.findall(r"\{glue:text\}`(\w+)", text))
            assert names & cited, finding.name
        chapters = {fact.chapter for fact in finding.facts}
        assert all(f"[]({chapter}.md)" in text for chapter in chapters for text in texts)


@pytest.mark.book
def test_pages_of_the_last_build_cite_what_the_chapters_say():
    for page in ("intro", "findings"):
        shown = pd.read_csv(RESULTS / page / "facts.csv", dtype=str).set_index("key")
        for finding in FINDINGS:
            for fact in finding.facts:
                own = pd.read_csv(RESULTS / fact.chapter / "facts.csv", dtype=str).set_index("key")
                for column in ("value", "low", "high"):
                    a, b = (pd.to_numeric(t[column], errors="coerce") for t in (
                        shown.loc[fact.name], own.loc[fact.key]))
                    assert a == pytest.approx(b, nan_ok=True)
