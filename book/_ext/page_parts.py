"""The parts of a page: what opens, where settings stand, numbers kept whole, what brackets hold."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

#: Sections that are folded, by their title, and what is written where they are opened.
FOLDED = {"How it was done": "Definitions, procedure, data",
          "All numbers": "Tables, and every number as a file"}


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.add_post_transform(FoldSections)
    app.add_post_transform(AnswerBeforeSettings)
    app.add_post_transform(KeepNumbersWhole)
    app.add_post_transform(SayWhatBracketsHold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class FoldSections(SphinxPostTransform):
    """Make a folded section one line that opens: its title, and what is behind it."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        for section in self.document.findall(nodes.section):
            words = FOLDED.get(section[0].astext())
            if words is None:
                continue
            title, *body = section.children
            section["classes"].append("folded")
            section.children = [
                _raw('<details class="fold"><summary>'), title,
                _raw(f'<span class="told">{words}</span></summary>'), *body, _raw("</details>")]
            for child in section.children:
                child.parent = section


class AnswerBeforeSettings(SphinxPostTransform):
    """Put the line of a page's settings behind its answer and first figure."""

    default_priority = 899
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        for cell in list(self.document.findall(nodes.container)):
            if "tag_settings" not in cell["classes"]:
                continue
            page = cell.parent
            first = page.first_child_matching_class(nodes.section)
            if first is not None:
                page.remove(cell)
                page.insert(first - 1, cell)


class KeepNumbersWhole(SphinxPostTransform):
    """Let no line end between a number and its percent sign, or within an interval."""

    default_priority = 901
    formats = ("html",)
    apart = re.compile(r"(?<=\d) (?=%)|(?<=\d,) (?=[\d\N{MINUS SIGN}.]+\])")

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        for text in list(self.document.findall(nodes.Text)):
            whole = self.apart.sub("\N{NO-BREAK SPACE}", text)
            if whole != text and not isinstance(text.parent, (nodes.literal, nodes.literal_block,
                                                              nodes.raw)):
                text.parent.replace(text, nodes.Text(whole))


class SayWhatBracketsHold(SphinxPostTransform):
    """Say under an answer with an interval what its brackets hold, unless it says so itself."""

    default_priority = 902
    formats = ("html",)
    interval = re.compile(r"\[[\d\N{MINUS SIGN}.]+,\s[\d\N{MINUS SIGN}.]+\]")

    def run(self, **kwargs) -> None:
        """Go through the page once."""
        for answer in self.document.findall(nodes.container):
            text = answer.astext()
            if ("answer" in answer["classes"] and self.interval.search(text)
                    and "brackets" not in text):
                answer += nodes.paragraph("", "In brackets: 95 % intervals.", classes=["brackets"])


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")
