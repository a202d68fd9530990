"""Cells of the pages: short enough to be read, on what a reader could import."""

import ast
from collections import Counter

import chapter_dependencies as deps
import pytest

from collection.project.paths import ROOT

LINES, COLUMNS = 20, 100
CHAPTERS = sorted((ROOT / "book").glob("*.md"))
#: What a page imports: rooms of `analysis` by what they offer, and usual libraries.
LIBRARIES = {"numpy", "pandas", "xarray", "matplotlib", "seaborn", "scipy", "sklearn", "pathlib",
             "IPython", "dataclasses", "itertools", "warnings"}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_cells_are_short(chapter):
    for cell in deps.code_cells(chapter):
        lines, tree = cell.strip().splitlines(), ast.parse(cell)
        # A table of words may be longer: one statement, with nothing to be followed.
        assert len(lines) <= LINES or len(tree.body) == 1, f"{len(lines)} lines: {lines[0]}"
        wide = [line for line in lines if len(line) > COLUMNS]
        assert not wide, wide


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_notebook_imports_what_a_reader_would(chapter):
    for cell in deps.code_cells(chapter):
        for node in ast.walk(ast.parse(cell)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                first, *rest = name.split(".")
                assert first in LIBRARIES or (first == "analysis" and len(rest) <= 1), name


def test_no_function_stands_on_two_pages():
    defined = Counter(node.name for chapter in CHAPTERS for cell in deps.code_cells(chapter)
                      for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.FunctionDef))
    assert not [name for name, times in defined.items() if times > 1]
