"""Pages that cite other chapters say their numbers, and say what is lacking."""

import re

import pandas as pd
import pytest

from chapters import findings
from chapters.chapter import Study
from chapters.cited import FINDINGS, Cited, cite, paper_numbers
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
    table = cite([Cited("ill", "da1", "share"), Cited("who", "da1", "leader")], built)
    texts = as_texts(table)
    assert texts["ill.ci"] == "12.2 % [10.0, 14.6]" and texts["who"] == "naive Bayes"


def test_what_is_lacking_is_named(built):
    with pytest.raises(UnknownNameError, match="Did you mean 'share'"):
        cite([Cited("ill", "da1", "shares")], built)
    with pytest.raises(FileNotFoundError, match=r"results/da3/numbers\.csv is cited"):
        cite([Cited("ill", "da3", "share")], built)


def test_first_page_and_findings_tell_the_same_six():
    texts = [(ROOT / "book" / f"{name}.md").read_text() for name in ("intro", "findings")]
    for finding, facts in FINDINGS.items():
        names = {fact.name for fact in facts}
        for text in texts:
            cited = set(re.findall(r"\{glue:text\}`(\w+)", text))
            assert names & cited, finding
        chapters = {fact.chapter for fact in facts}
        assert all(f"[]({chapter}.md)" in text for chapter in chapters for text in texts)


def test_the_papers_numbers_are_as_it_prints_them():
    texts = as_texts(paper_numbers())
    assert (texts["paper_dense"], texts["paper_coarse"]) == ("15.4 %", "8.1 %")
    assert texts["paper_tabnet"] == "74.3 %" and texts["paper_standardised"] == "−2.1 points"


def ours(**changed):
    """Facts for which every claim that can hold does."""
    rows = Facts()
    ends = {"no_tabnet": (15.4, 15, 16), "of_tried": (8, 7, 9), "leaders_share": (41, 20, 80),
            "tabnet": (79, 71, 85), "lda": (1, .9, 1.1), "standardised": (-2, -3, -1),
            "fits": (12, 11, 13), "races": (80, 70, 90)} | changed
    for key, numbers in ends.items():
        rows.add(key, *numbers)
    return rows.table().assign(chapter="da1", own_key="x")


@pytest.mark.parametrize(("changed", "claim", "verdict"), [
    ({}, None, None), ({"no_tabnet": (13.1, 13, 14)}, "dense", "in part"),
    ({"of_tried": (12, 10, 14)}, "coarse", "in part"),
    ({"tabnet": (40, 31, 55)}, "tabnet", "in part"),
    ({"standardised": (-5, -8, -3)}, "standardised", "in part"),
    ({"lda": (2, 1.5, 2.5)}, "peak", "in part"), ({"fits": (8, 5, 12)}, "fits", "in part"),
    ({"races": (49, 35, 62)}, "races", "not settled")])
def test_whether_a_claim_holds_is_read_off_its_numbers(changed, claim, verdict):
    told = findings.facts(Study({"findings": ours(**changed)})).set_index("key")["value"]
    assert len(findings.CLAIMS) == told["n_hold"] + told["n_in_part"] + told["n_open"] == 8
    assert told["n_hold"] == 8 - (claim is not None)
    for name in findings.CLAIMS:
        assert told[f"holds_{name}"] == (verdict if name == claim else "holds"), name


@pytest.mark.book
def test_pages_of_the_last_build_cite_what_the_chapters_say():
    for page in ("intro", "findings"):
        shown = pd.read_csv(RESULTS / page / "facts.csv", dtype=str).set_index("key")
        for facts in FINDINGS.values():
            for fact in facts:
                own = cite([fact]).astype(str).set_index("own_key")
                for column in ("value", "low", "high"):
                    a, b = (pd.to_numeric(t[column], errors="coerce") for t in (
                        shown.loc[fact.name], own.loc[fact.key]))
                    assert a == pytest.approx(b, nan_ok=True)
