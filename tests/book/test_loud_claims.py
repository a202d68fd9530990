"""The list of the loudest sentences: each has its number from a fact that its chapter cites."""

import json
import re

import jsonschema
import nbformat
import pandas as pd
import pytest
from claims import COLUMNS, export, read_claims, state, with_links
from running import defaults_of
from staging import link_claims

from collection.project.paths import ROOT

CLAIMS = read_claims()
SCHEMA = json.loads((ROOT / "book" / "_static" / "claims.schema.json").read_text())


def test_forty_sentences_with_number_population_unit_and_fact():
    assert len(CLAIMS) >= 40 and list(CLAIMS) == list(COLUMNS)
    assert (CLAIMS[list(COLUMNS)] != "").all(axis=None)
    assert not CLAIMS.duplicated(["file", "key"]).any()
    assert (CLAIMS["sentence"].str.count(r"\{\}") == 1).all()


@pytest.mark.parametrize("row", list(CLAIMS.itertuples()), ids=lambda r: f"{r.file} {r.key}")
def test_the_chapter_cites_the_fact(row):
    chapter = re.fullmatch(r"results/(\w+)/numbers\.csv", row.file)[1]
    page = ROOT / "book" / f"{chapter}.md"
    text = page.read_text()
    for name, value in defaults_of(page).items():  # of keys that are named by a parameter
        text = text.replace(f"{{{name}}}", str(value))
    key = rf"{row.key}(\.ci|\.range)?"
    assert re.search(rf"\{{glue:text\}}`{key}`|\{{{key}\}}", text)


@pytest.fixture
def built(tmp_path):
    """A build with two facts, and a list of both."""
    folder = tmp_path / "results" / "da1"
    folder.mkdir(parents=True)
    (folder / "numbers.csv").write_text(
        "key,value,low,high,unit,digits,n,note\nshare,15.44,12.0,18.1,%,1,112,\n"
        "winner,random forest,,,,0,,\n")
    row = {"sentence": "{} of them.", "number": "", "population": "curves", "unit": "families",
           "file": "results/da1/numbers.csv"}
    return tmp_path, pd.DataFrame([row | {"key": "share"}, row | {"key": "winner"}])


def test_numbers_are_stated_as_the_page_shows_them(built):
    assert state(built[1], built[0])["number"].tolist() == ["15.4 % [12.0, 18.1]", "random forest"]


def test_claims_are_data_with_a_place_on_their_page(built):
    root, claims = built
    counted = dict.fromkeys(("numerator", "denominator", "filter", "rivals"), "curves")
    share, winner = export(claims.assign(**counted), root)
    assert (share["number"], share["value"]) == ("15.4 % [12.0, 18.1]", 15.44)
    assert (share["low"], share["high"], share["numerator"]) == (12.0, 18.1, "curves")
    assert (share["page"], share["anchor"]) == ("book/da1.html", "claim-share")
    assert winner["value"] == "random forest" and winner["low"] is None
    told = {"$schema": "", "version": "1", "claims": [c | {"url": "#"} for c in (share, winner)]}
    jsonschema.validate(told, SCHEMA)
    json.dumps(told, allow_nan=False)
    assert export(claims.assign(key=["lost", "share"]), root)[0]["key"] == "share"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told | {"claims": [share]}, SCHEMA)  # without its address


def test_the_first_place_that_cites_a_claim_becomes_a_link_to_itself():
    text = ("{glue:text}`ab` ```{code-cell} x\n```\n```{code-cell} python3\n{glue:text}`a`\n```\n"
            "Of {glue:text}`a.ci` and {glue:text}`a`.")
    assert with_links(text, ["a", "none"]) == text.replace(
        "{glue:text}`a.ci`", '<a class="claim" id="claim-a" href="#claim-a">{glue:text}`a.ci`</a>')


def test_the_first_sentence_that_says_a_claim_is_a_link_to_itself():
    said = [nbformat.v4.new_output("display_data", {"text/markdown": text}) for text in (
        'Of <data value="b">2</data> and <data value="a">1 % [0, 2]</data>.',
        'Of <data value="a">1 %</data>.')]
    cell = nbformat.v4.new_code_cell("", outputs=said)
    link_claims(nbformat.v4.new_notebook(cells=[cell]), ["a", "none"])
    first, second = (one["data"]["text/markdown"] for one in said)
    assert first == ('Of 2 and <a class="claim" id="claim-a" href="#claim-a">1 % [0, 2]</a>.')
    assert second == "Of 1 %."


@pytest.mark.book
def test_the_built_claims_fit_their_schema_and_lead_to_their_numbers():
    html = ROOT / "_build" / "html"
    told = json.loads((html / "claims.json").read_text())
    jsonschema.validate(told, json.loads((html / told["$schema"]).read_text()))
    assert {claim["key"] for claim in told["claims"]} == set(CLAIMS["key"])
    for claim in told["claims"]:
        page = (html / claim["page"]).read_text()
        link = re.search(rf'id="{claim["anchor"]}" href="#{claim["anchor"]}">(.*?)</a>', page)
        assert link, f"{claim['page']} shows no {claim['key']}"


def test_a_fact_that_is_not_there_is_named(built):
    root, claims = built
    with pytest.raises(LookupError, match=r"lost of results/da1/numbers\.csv"):
        state(claims.assign(key=["share", "lost"]), root)
    with pytest.raises(LookupError, match="2 claims"):
        state(claims.assign(file="results/none/numbers.csv"), root)


@pytest.mark.book
def test_the_numbers_are_those_of_the_build():
    stated = state(CLAIMS)
    stated["listed"] = CLAIMS["number"]
    changed = stated[stated["number"] != stated["listed"]]
    assert changed.empty, ("python book/claims.py writes them anew:\n"
                           + changed[["file", "key", "listed", "number"]].to_string(index=False))
