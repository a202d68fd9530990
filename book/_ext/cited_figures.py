"""Show a chapter's own figure on another page: as it stands there, or wordless, as a thumbnail.

``{cited-figure} da1 fig-da1-learners`` takes the page and the figure's name; what it holds is the
caption. Nothing is computed or drawn again.
"""

import json
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

ALONE = 2  # pages of a build of one page: it, and the references


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.add_directive("cited-figure", CitedFigure)
    app.add_post_transform(TakeFigures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class CitedFigure(SphinxDirective):
    """A place for a figure of another page."""

    required_arguments = 2
    has_content = True
    option_spec: ClassVar = {"wordless": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the place, with its caption."""
        page, name = self.arguments
        wordless = "wordless" in self.options
        place = nodes.container(classes=["thumbnail"]) if wordless else nodes.figure(
            ids=[f"cited-{name}"])
        place["cited"], place["wordless"] = (f"book/{page}", name), wordless
        if self.content:
            words = nodes.Element()
            self.state.nested_parse(self.content, self.content_offset, words)
            place += nodes.caption("", "", *words[0].children)
        return [place]


class TakeFigures(SphinxPostTransform):
    """Fill the places with the outputs of the pages' cells."""

    default_priority = 2  # before the kind of the output is chosen
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        for place in [node for node in self.document.findall(nodes.Element) if "cited" in node]:
            page, name = place["cited"]
            if page not in self.env.found_docs and len(self.env.found_docs) <= ALONE:
                place.parent.remove(place)
                continue
            output = next((output for figure in self.env.get_doctree(page).findall(nodes.figure)
                           if name in figure["names"] for output in figure.findall(nodes.container)
                           if output.get("nb_element") == "mime_bundle"), None)
            if output is None and _given(self.app, page):  # a reader's curves may not show it
                place.parent.remove(place)
                continue
            if output is None:
                raise ExtensionError(f"{self.env.docname} cites {name}, which {page} lacks.")
            taken = output.deepcopy()
            taken["wordless"] = place["wordless"]
            place.insert(0, taken)


def _given(app, page: str) -> dict:
    """Return the parameters that a page was run with, other than its own."""
    stamps = json.loads(Path(app.srcdir, "stamps.json").read_text())
    return stamps.get(page.removeprefix("book/"), {}).get("given", {})
