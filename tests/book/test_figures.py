"""Every figure of the book has a name, a caption, and a text of its own for who cannot see it."""

import re
from collections import Counter
from html.parser import HTMLParser

import jupytext
import pytest
import yaml

from collection.project.paths import ROOT

CHAPTERS = sorted((ROOT / "book").glob("*.md"))
HTML = ROOT / "_build" / "html" / "book"
DRAWS = re.compile(r"^(?:figures\.)?draw_\w+\(|^figure$", re.MULTILINE)
LONGEST = 300  # characters, of a text that is read out


def figure_cells():
    """Return chapter and metadata of each cell that draws or captions a figure."""
    cells = []
    for path in CHAPTERS:
        for cell in jupytext.read(path).cells:
            options = cell.metadata.get("mystnb", {})
            if cell.cell_type == "code" and ("figure" in options or DRAWS.search(cell.source)):
                cells.append((path.stem, options))
    return cells


def test_there_are_figures():
    assert len(figure_cells()) > 50


@pytest.mark.parametrize("chapter", sorted({c for c, _ in figure_cells()}))
def test_figures_have_name_caption_and_alt(chapter):
    for where, options in figure_cells():
        if where == chapter:
            figure, alt = options.get("figure", {}), options.get("image", {}).get("alt", "")
            assert figure.get("name") and figure.get("caption"), f"a figure in {chapter}"
            assert 40 < len(alt.strip()) <= LONGEST, f"{figure['name']} needs image: alt:"
            assert alt.strip() != figure["caption"].strip()


def test_names_and_alts_are_each_figure_s_own():
    for field in (lambda o: o["figure"]["name"], lambda o: " ".join(o["image"]["alt"].split())):
        twice = [x for x, n in Counter(field(o) for _, o in figure_cells()).items() if n > 1]
        assert not twice


class Images(HTMLParser):
    """Collect the alternative texts of a page's images."""

    def __init__(self, page):
        super().__init__()
        self.alts = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "img" and "logo" not in (dict(attrs).get("class") or ""):
            self.alts.append(dict(attrs).get("alt") or "")


@pytest.mark.book
def test_no_built_page_has_a_file_name_for_an_alt():
    contents = re.findall(r"book/([\w-]+)", yaml.safe_dump(
        yaml.safe_load((ROOT / "_toc.yml").read_text())))
    alts = [(c, a) for c in contents
            for a in Images((HTML / f"{c}.html").read_text(encoding="utf-8")).alts]
    assert not [(c, a) for c, a in alts if not a or re.search(r"_images/|\.(?:png|svg)$", a)]
