"""From a page to its code: links to what drew its figures, and a notebook that holds its cells."""

import re
from types import SimpleNamespace

import chapter_code
import nbformat
import pandas as pd
import pytest
import staging

from collection.project.paths import ROOT


def test_without_a_repository_code_is_in_the_book(tmp_path):
    (tmp_path / "book").mkdir()
    place = chapter_code.code_address("", "py", {"module": "analysis", "fullname": "load_curves"})
    (tmp_path / "book" / "one.html").write_text(f'<a href="{place}">code</a>')
    chapter_code.copy_code(SimpleNamespace(outdir=tmp_path), None)
    file, _, line = place.removeprefix("../").partition("#")
    (copied,) = (tmp_path / "code").rglob("*.html")
    assert copied == tmp_path / file
    page = copied.read_text()
    shown = re.search(rf'<span id="{line}">(.*)', page)[1]
    assert "def load_curves" in re.sub("<[^>]+>", "", shown)
    for there in re.findall(r'href="([^"#]+)"', page):
        assert (copied.parent / there).resolve().parent in (tmp_path, tmp_path / "_static")


def executed(*cells):
    return nbformat.v4.new_notebook(cells=list(cells), metadata={"kernelspec": {
        "name": "python3", "display_name": "Python 3"}})


def test_a_download_says_what_it_needs_and_has_its_numbers_in_its_text():
    glue = nbformat.v4.new_output("display_data", {staging.GLUE: "'12.2 %'"},
                                  metadata={"scrapbook": {"name": "share.ci"}})
    table = nbformat.v4.new_output("display_data", {"text/html": '<a href="../results/a.csv">'})
    picture = nbformat.v4.new_output("display_data", {"image/png": "", "image/svg+xml": ""})
    made = staging.downloaded(executed(
        nbformat.v4.new_markdown_cell(":::{container} paper-name\nDA1\n:::\nSee [](da2.md)."),
        nbformat.v4.new_code_cell("page.keep()", outputs=[glue, table, picture]),
        nbformat.v4.new_markdown_cell("Of all {glue:text}`share.ci`.")), "A title")
    needs, first, code, second = made.cells
    assert "pip install" in needs.source and "A title" in needs.source
    assert first.source == "DA1\nSee *da2*."
    assert [list(one.data) for one in code.outputs] == [["text/html"], ["image/png"]]
    assert code.outputs[0].data["text/html"] == '<a href="results/a.csv">'
    assert second.source == 'page.say(r"""Of all {share.ci}.""")'  # so that a rerun says its own
    assert second.outputs[0].data["text/markdown"] == "Of all 12.2 %."
    assert "lcdb11-anew" not in needs.source


def test_an_answer_above_the_cells_that_keep_its_numbers_waits_for_them():
    glue = nbformat.v4.new_output("display_data", {staging.GLUE: "'7'"},
                                  metadata={"scrapbook": {"name": "n"}})
    made = staging.downloaded(executed(
        nbformat.v4.new_markdown_cell("It is {glue:text}`n`."),
        nbformat.v4.new_code_cell("import analysis"),
        nbformat.v4.new_code_cell("page.keep()", outputs=[glue])), "")
    assert [cell.source for cell in made.cells[1:]] == [
        "import analysis", "page.keep()", 'page.say(r"""It is {n}.""")']


def test_who_needs_the_large_database_is_told_where_it_is():
    made = staging.downloaded(executed(nbformat.v4.new_code_cell('load("lcdb11-anew")')), "")
    assert "data/lcdb11-anew" in made.cells[0].source


@pytest.mark.book
def test_built_pages_lead_to_code_and_notebook():
    page = (ROOT / "_build" / "html" / "book" / "da1.html").read_text()
    assert 'href="#code-fig-da1-learners"' in page and 'id="code-fig-da1-learners"' in page
    assert "../notebooks/da1.ipynb" in page
    nowhere = [p.name for p in (ROOT / "_build" / "html" / "book").glob("*.html")
               if 'href="/blob/' in p.read_text()]
    assert not nowhere


@pytest.mark.book
def test_built_figures_lead_to_their_numbers():
    pages = [p.read_text() for p in (ROOT / "_build" / "html" / "book").glob("*.html")]
    code, numbers = (sum(len(re.findall(rf'class="figure-code[^>]*>{text}</a>', page))
                         for page in pages) for text in ("code", "numbers"))
    assert code > 25 and numbers >= 0.9 * code
    for place in re.findall(r'figure-code[^>]*href="(\.\./figures/[^"]+)"', "".join(pages)):
        table = pd.read_csv(ROOT / "_build" / "html" / "book" / place)
        assert len(table) and {"panel", "kind", "x", "y"} <= set(table)
