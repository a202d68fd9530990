"""Every figure of the book has a name, a caption, and a text of its own for who cannot see it."""

import re
from collections import Counter

import jupytext
import pytest

from analysis.drawing.style import SIZE
from collection.project.paths import ROOT

DRAWS = re.compile(r"^(?:figures\.)?draw_\w+\(|^figure$", re.MULTILINE)
LONGEST = 300  # characters, of a text that is read out


def figure_cells():
    """Return chapter and metadata of each cell that draws or captions a figure."""
    cells = []
    for path in sorted((ROOT / "book").glob("*.md")):
        for cell in jupytext.read(path).cells:
            options = cell.metadata.get("mystnb", {})
            if cell.cell_type == "code" and ("figure" in options or DRAWS.search(cell.source)):
                cells.append((path.stem, options))
    return cells


FIGURES = figure_cells()


@pytest.mark.parametrize(("chapter", "options"), FIGURES)
def test_a_figure_has_name_caption_and_alt(chapter, options):
    figure, alt = options.get("figure", {}), options.get("image", {}).get("alt", "")
    assert figure.get("name") and figure.get("caption"), f"a figure in {chapter}"
    assert 40 < len(alt.strip()) <= LONGEST, f"{figure['name']} needs image: alt:"
    assert alt.strip() != figure["caption"].strip()


def test_names_and_alts_are_each_figure_s_own():
    assert len(FIGURES) > 50
    for field in (lambda o: o["figure"]["name"], lambda o: " ".join(o["image"]["alt"].split())):
        twice = [x for x, n in Counter(field(o) for _, o in FIGURES).items() if n > 1]
        assert not twice


def test_the_axis_of_rows_has_one_name():
    cells = "\n".join(path.read_text() for folder in ("book", "examples")
                      for path in (ROOT / folder).glob("*.[mp][dy]"))
    named = set(re.findall(r'[xy]label=f?"([^"]*(?:rows|size)[^"]*)"', cells))
    assert named - {"rows of the table", "times the rows now", "times the {seen:,} rows seen",
                    "number of sizes", "error at the last size, times that of nothing changes"
                    } == {SIZE}
