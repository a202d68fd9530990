"""From a page to its code: links to what drew its figures, and a notebook that holds its cells."""

import os
import re
from types import SimpleNamespace

import chapter_code
import jupytext
import pandas as pd
import pytest

from collection.project.paths import ROOT

CHAPTERS = sorted((ROOT / "book").glob("*.md"))


def figures(chapter):
    return [cell.metadata["mystnb"]["figure"]["name"] for cell in chapter_code._cells(chapter)
            if cell.cell_type == "code" and "figure" in cell.metadata.get("mystnb", {})]


def test_nearly_every_figure_is_linked_to_the_line_of_a_function():
    linked = total = 0
    for chapter in CHAPTERS:
        names, found = figures(chapter), chapter_code.figure_code(chapter, "here")
        total, linked = total + len(names), linked + len(found)
        for place in found.values():
            path, line = re.fullmatch(r"here/blob/\w+/([\w/]+\.py)#L(\d+)", place).groups()
            nearby = (ROOT / path).read_text().splitlines()[int(line) - 1:int(line) + 3]
            assert any(text.lstrip().startswith("def ") or "charts=" in text or '": ' in text
                       for text in nearby), place
    assert total > 25 and linked >= 0.9 * total


def test_the_function_that_is_called_last_and_outermost_is_meant(tmp_path):
    chapter = tmp_path / "one.md"
    chapter.write_text("""```{code-cell} python3
from pandas import read_csv
from analysis.drawing.curve import draw_curves
from analysis.databases.load import load_curves as opened
```

```{code-cell} python3
---
mystnb:
  figure:
    name: fig-a
---
curves = opened("mini")
draw_curves({"a": opened(curves)})
```

```{code-cell} python3
---
mystnb:
  figure:
    name: fig-b
---
read_csv("x.csv").plot()
```
""")
    found = chapter_code.figure_code(chapter, "here")
    assert set(found) == {"fig-a"} and "analysis/drawing/curve.py#L" in found["fig-a"]


def test_without_a_repository_code_is_in_the_book(tmp_path):
    (tmp_path / "book").mkdir()
    place = chapter_code.address("", "analysis.load_curves")
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


def test_a_notebook_holds_the_cells_of_its_chapter(tmp_path):
    chapter = ROOT / "book" / "shapes.md"
    env = SimpleNamespace(found_docs={"book/shapes", "book/bibliography"},
                          doc2path=lambda name: str(ROOT / f"{name}.md"))
    app = SimpleNamespace(outdir=tmp_path, env=env)
    chapter_code.write_notebooks(app, None)
    (file,) = (tmp_path / "notebooks").iterdir()
    file.write_text("")  # made after its chapter, so it stays; before it, it is made anew
    chapter_code.write_notebooks(app, None)
    assert not file.read_text()
    os.utime(file, (0, 0))
    chapter_code.write_notebooks(app, None)
    cells = [c.source for c in jupytext.read(file).cells if c.cell_type == "code"]
    assert cells == [c.source for c in jupytext.read(chapter).cells if c.cell_type == "code"]


@pytest.mark.book
def test_built_pages_lead_to_code_and_notebook():
    page = (ROOT / "_build" / "html" / "book" / "da1.html").read_text()
    assert 'class="figure-code reference external"' in page and "../notebooks/da1.ipynb" in page
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
