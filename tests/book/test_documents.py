"""The two documents as their readers get them, in a browser and on paper."""

import base64
import io
import re
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest

from collection.project.paths import ROOT
from collection.project.shown import write_csv
from commands import COMMANDS

WIDEST, PRINTED = 760, 2  # pixels, pages
ACCURACY = "size,accuracy,tested\n" + "".join(
    f"{n},{100 - 40 * n ** -0.3:.1f},300\n" for n in (16, 32, 64, 128, 256, 512))
TABLES = """[...document.querySelectorAll('details')].forEach((one) => { one.open = true; });
    return [...document.querySelectorAll('table')].map((table) => [table.offsetWidth,
      [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText))])"""


def long_names():
    """Forty methods whose long names differ in the middle, each run twice."""
    rng = np.random.default_rng(0)
    return pd.DataFrame([(f"t{k}", f"{'a' * 60} {m} {'b' * 60}", 0.9 - (m + rng.random()) / 99, s)
                         for k in range(8) for m in range(40) for s in (0, 1)],
                        columns=["task", "method", "accuracy", "seed"])


def own_table():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 60))
    label = np.where(x[:, 0] + rng.normal(size=120) > 0, "a", "b")
    return pd.DataFrame(x).add_prefix("feature_").assign(label=label)


@pytest.fixture(scope="module", params=["points", "accuracy", "table", "order", "tie", "long"])
def document(request, tmp_path_factory):
    """A command's page, and what it said."""
    at, results = tmp_path_factory.mktemp("document"), ROOT / "examples" / "results.csv"
    (at / "acc.csv").write_text(ACCURACY)
    write_csv(own_table(), at / "own.csv")
    write_csv(long_names(), at / "long.csv")
    command, *given = {
        "points": ["report", f"POINTS={ROOT / 'examples' / 'points.csv'}", "WANTED=0.05"],
        "accuracy": ["report", f"POINTS={at / 'acc.csv'}", "WANTED=97"],
        "table": ["report", f"CSV={at / 'own.csv'}", "TARGET=label", "BUDGET=5s", "WORKERS=1"],
        "order": ["order", f"CSV={results}"],
        "tie": ["order", f"CSV={results}", f"MINE={results}", "TIE=0.02"],
        "long": ["order", f"CSV={at / 'long.csv'}", "RESAMPLES=100"]}[request.param]
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: said.write(f"{message}\n")
        assert COMMANDS[command].run([*given, f"OUT={at}/out"]) == 0
    return request.param, at / "out" / f"{command}.html", said.getvalue()


def test_a_document_decides_first_and_is_in_plain_words(document):
    name, path, said = document
    page = path.read_text()
    body = re.split("<body[^>]*>", page)[1]
    shown, _, folded = body.partition("<details>")
    assert "`" not in body + said and "constrained_layout" not in said
    assert shown.count("<table") == shown.count("<svg") == shown.count('class="lead"') == 1
    assert body.count("your model") <= 2 and "1 − " not in body + said
    assert not re.search(r"</(h2|summary)>\s*</?(h2|section|details)", body)
    assert re.search(r"<details>", folded) and re.search(r"· \d+ \w+ 20\d\d · ", shown)
    lead = re.search(r'class="lead">(.*?)</p>', shown)[1]
    assert re.search("Gather (no |a few )?more rows" if "report" in path.name else "Choose", lead)
    if name == "accuracy":
        assert "expect the accuracy to" in lead and "that it rises by" in lead
        assert "points or more" in lead and "%" in shown


@pytest.mark.browser
def test_no_table_is_too_wide_or_says_one_thing(document, browser):
    browser.get(document[1].as_uri())
    tables = browser.execute_script(TABLES)
    assert tables
    for width, rows in tables:
        assert width <= WIDEST
        if "learner" not in rows[0] and len(rows) > 1 and len({len(row) for row in rows}) == 1:
            assert all(len(set(column)) > 1 for column in zip(*rows, strict=True)), rows


@pytest.mark.browser
def test_a_document_is_printed_on_two_pages(document, browser):
    pypdf = pytest.importorskip("pypdf")
    browser.get(document[1].as_uri())
    printed = browser.execute_cdp_cmd("Page.printToPDF", {
        "printBackground": True, "displayHeaderFooter": True, "preferCSSPageSize": True})
    pages = pypdf.PdfReader(io.BytesIO(base64.b64decode(printed["data"]))).pages
    assert len(pages) <= PRINTED
    if document[0] == "table":  # what is folded is printed
        assert any("model.fit(" in page.extract_text() for page in pages)
