"""What every page says of itself: how to cite it, how to rebuild it, and how others preview it."""

import html
import re
from pathlib import Path

from docutils import nodes

#: Chapters that can be rebuilt on a reader's own curves, and what these need.
ON_YOUR_CURVES = {
    "book/shapes": "curves of any kind",
    "book/da1": "curves without scaling, with repeats",
    "book/da2": "curves under two scalings or more",
    "book/leakage": "curves with and without leakage: make collect … LEAKAGE=\"no yes\"",
    "book/performance": "curves of several learners on at least five datasets",
    "book/da3": "at least ten ill-behaved and ten well-behaved curves",
    "book/da4": "six learners or more on at least five datasets",
    "book/explorer": "curves of any kind",
}
PICTURE = "book/_static/book.png"
LONGEST = 200  # characters of a description


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("html-page-context", tell)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def tell(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Add descriptions to the head of a chapter, and what concerns the reader to its end."""
    if doctree is None or not pagename.startswith("book/"):
        return
    title = app.env.titles[pagename].astext()
    context["metatags"] = context.get("metatags", "") + _metatags(app, title, doctree)
    context["body"] = context["body"] + _own_curves(pagename) + _citation(app, pagename, title)


def description(doctree) -> str:
    """Return the takeaway of a chapter, else its first paragraph, cut at a word."""
    boxes = [a for a in doctree.findall(nodes.admonition) if "Takeaway" in a.astext()[:20]]
    source = (boxes or [doctree])[0]
    paragraphs = [p.astext() for p in source.findall(nodes.paragraph)]
    text = " ".join((paragraphs or [""])[0].split())
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0] + " …"


def _metatags(app, title: str, doctree) -> str:
    told = {"og:title": title, "og:type": "article", "og:site_name": app.config.html_title,
            "og:description": description(doctree), "og:image": "../_static/book.png"}
    tags = "".join(f'<meta property="{name}" content="{html.escape(str(text))}">\n'
                   for name, text in told.items())
    if not any(node["name"] == "description" for node in doctree.findall(nodes.meta)):
        tags += f'<meta name="description" content="{html.escape(told["og:description"])}">\n'
    return tags


def _own_curves(pagename: str) -> str:
    if pagename not in ON_YOUR_CURVES:
        return ""
    return (
        '<section class="about-page" id="on-your-curves"><h2>On your curves</h2><p>Gather them '
        'with <code>make collect DATASETS="csv:mine.csv?target=class" OUT=my_curves</code> and '
        "build this chapter on them with <code>make book DATABASE=my_curves</code>. It needs "
        f"{html.escape(ON_YOUR_CURVES[pagename])}.</p></section>")


def _citation(app, pagename: str, title: str) -> str:
    """Return how to cite the page; its figures are cited by their number on it."""
    reference = _reference(Path(app.srcdir))
    key = pagename.rsplit("/", 1)[1]
    bibtex = (f"@misc{{reexamined-{key},\n  title = {{{title}}},\n"
              f"  howpublished = {{Chapter of {reference['title']}}},\n"
              f"  author = {{{reference['author']}}},\n  year = {{{reference['year']}}},\n"
              f"  note = {{Version {reference['version']}, {key}.html}}\n}}")
    return ('<details class="about-page cite" id="cite-this-page"><summary>Cite this page</summary>'
            "<p>A figure is cited by its number on the page; the sign behind its caption is a link "
            f"to it.</p><pre>{html.escape(bibtex)}</pre></details>")


def _reference(root: Path) -> dict[str, str]:
    text = (root / "CITATION.cff").read_text()

    def field(name: str) -> str:
        return re.search(rf'^\s*-?\s*{name}: "?([^"\n]+)"?$', text, re.MULTILINE)[1]

    return {"title": field("title"), "author": field("name"), "version": field("version"),
            "year": field("date-released")[:4]}
