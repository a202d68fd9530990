"""Hidden cells that follow each other are merged, and nothing else is."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from one_toggle import MergeHiddenCells


def cell(text, output=False, hide="input"):
    source = nodes.container("", nodes.literal_block(text, text), nb_element="cell_code_source")
    made = nodes.container("", source, nb_element="cell_code", hide_mode=hide)
    if output:
        made += nodes.container("", nodes.paragraph("", "shown"), nb_element="cell_code_output")
    return made


def merged(*children):
    document = new_document("page", SimpleNamespace(
        debug=False, report_level=5, halt_level=5, warning_stream=None,
        error_encoding="utf-8", error_encoding_error_handler="strict", language_code="en"))
    document.extend(children)
    MergeHiddenCells(document).run()
    return [[block.astext() for block in child.findall(nodes.literal_block)] for child in document]


@pytest.mark.parametrize(("children", "codes"), [
    ((cell("a"), cell("b"), cell("c", output=True)), [["a", "b", "c"]]),
    ((cell("a", output=True), cell("b")), [["a"], ["b"]]),
    ((cell("a"), nodes.paragraph("", "words"), cell("b")), [["a"], [], ["b"]]),
    ((cell("a", hide=""), cell("b")), [["a"], ["b"]]),
    ((cell("a"), cell("b", hide="")), [["a"], ["b"]]),
])
def test_only_hidden_cells_without_output_are_merged_into_the_next(children, codes):
    assert merged(*children) == codes
