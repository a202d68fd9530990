"""One toggle where hidden code cells follow each other: what they hold is opened together.

A cell is at most 30 lines, so that a page may begin with several that only prepare something. A
reader meets them as one "Show code cell source".
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.add_post_transform(MergeHiddenCells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class MergeHiddenCells(SphinxPostTransform):
    """Move the code of a hidden cell without output into the hidden cell that follows it."""

    default_priority = 198  # before MyST-NB makes the toggles
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Go through the page once; three cells in a row end in the third."""
        for cell in list(self.document.findall(_is_hidden_source)):
            follower = _next(cell)
            if follower is not None and len(cell) == 1 and _is_hidden_source(follower):
                follower[0].children = cell[0].children + follower[0].children
                for child in follower[0].children:
                    child.parent = follower[0]
                cell.parent.remove(cell)


def _is_hidden_source(node: nodes.Node) -> bool:
    return (isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
            and node.get("hide_mode") == "input" and len(node) > 0
            and node[0].get("nb_element") == "cell_code_source")


def _next(node: nodes.Node) -> nodes.Node | None:
    """Return what follows `node` under the same parent, None where it is the last."""
    place = node.parent.index(node) + 1
    return node.parent[place] if place < len(node.parent) else None
