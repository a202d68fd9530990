"""Cells of the chapters: short enough to be read, and without functions."""

import ast

import chapter_dependencies as deps
import pytest

from collection.project.paths import ROOT

LINES, COLUMNS = 30, 100
CHAPTERS = sorted((ROOT / "book").glob("*.md"))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_cells_are_short_and_hold_no_functions(chapter):
    for cell in deps.code_cells(chapter):
        lines, tree = cell.strip().splitlines(), ast.parse(cell)
        # A table of words may be longer: one statement, with nothing to be followed.
        assert len(lines) <= LINES or len(tree.body) == 1, f"{len(lines)} lines: {lines[0]}"
        wide = [line for line in lines if len(line) > COLUMNS]
        assert not wide, wide
        functions = [node for node in ast.walk(tree)
                     if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        assert not functions, functions
