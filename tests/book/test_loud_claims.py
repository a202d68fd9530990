"""The list of the loudest sentences: each has its number from a fact that its chapter cites."""

import re

import pandas as pd
import pytest

from chapters.claims import COLUMNS, read_claims, state
from chapters.facts import Facts
from collection.paths import ROOT

CLAIMS = read_claims()


def test_forty_sentences_with_number_population_unit_and_fact():
    assert len(CLAIMS) >= 40 and list(CLAIMS) == list(COLUMNS)
    assert (CLAIMS[list(COLUMNS)] != "").all(axis=None)
    assert not CLAIMS.duplicated(["file", "key"]).any()
    assert (CLAIMS["sentence"].str.count(r"\{\}") == 1).all()


@pytest.mark.parametrize("row", list(CLAIMS.itertuples()), ids=lambda r: f"{r.file} {r.key}")
def test_the_chapter_cites_the_fact(row):
    chapter = re.fullmatch(r"results/(\w+)/facts\.csv", row.file)[1]
    text = (ROOT / "book" / f"{chapter}.md").read_text()
    assert re.search(rf"\{{glue:text\}}`{row.key}(\.ci|\.range)?`", text)


@pytest.fixture
def built(tmp_path):
    """A build with two facts, and a list of both."""
    facts = Facts()
    facts.add("share", 15.44, 12.0, 18.1, digits=1, unit="%", n=112)
    facts.add("winner", "random forest")
    folder = tmp_path / "results" / "da1"
    folder.mkdir(parents=True)
    facts.table().to_csv(folder / "facts.csv", index=False)
    row = {"sentence": "{} of them.", "number": "", "population": "curves", "unit": "families",
           "file": "results/da1/facts.csv"}
    return tmp_path, pd.DataFrame([row | {"key": "share"}, row | {"key": "winner"}])


def test_numbers_are_stated_as_the_page_shows_them(built):
    assert state(built[1], built[0])["number"].tolist() == ["15.4 % [12.0, 18.1]", "random forest"]


def test_a_fact_that_is_not_there_is_named(built):
    root, claims = built
    with pytest.raises(LookupError, match=r"lost of results/da1/facts\.csv"):
        state(claims.assign(key=["share", "lost"]), root)
    with pytest.raises(LookupError, match="2 claims"):
        state(claims.assign(file="results/none/facts.csv"), root)


@pytest.mark.book
def test_the_numbers_are_those_of_the_build():
    stated = state(CLAIMS)
    stated["listed"] = CLAIMS["number"]
    changed = stated[stated["number"] != stated["listed"]]
    assert changed.empty, ("python -m chapters.claims writes them anew:\n"
                           + changed[["file", "key", "listed", "number"]].to_string(index=False))
