"""Show what a term means where it is first used on a page: by pointing at it, or by the keyboard.

The glossary is the only place where meanings are written. A build writes them to
``_static/glossary_terms.js`` and links the first use of each term on every other page; the script
``tooltips.js`` shows the meaning.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes

GLOSSARY = "book/glossary"
#: Where a term is part of something else: no links inside these.
ELSEWHERE = (nodes.reference, nodes.literal, nodes.title, nodes.caption, nodes.math, nodes.raw,
             nodes.literal_block, nodes.admonition, nodes.term, nodes.table)


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_terms)
    app.connect("build-finished", write_meanings)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def meanings(app) -> dict[str, dict[str, str]]:
    """Return the glossary: by each form of a term, the id it has on its page and its meaning."""
    if not hasattr(app, "glossary_meanings"):
        found = {}
        if GLOSSARY in app.env.found_docs:
            for item in app.env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
                term = item.next_node(nodes.term)
                text = item.next_node(nodes.definition).astext().replace("\n", " ")
                for form in (part.strip() for part in term.astext().split(";")):
                    found[form] = {"id": term["ids"][0], "meaning": text}
        app.glossary_meanings = found
    return app.glossary_meanings


def link_terms(app, doctree, docname: str) -> None:
    """Link the first use of each term in the paragraphs of a page."""
    known = meanings(app)
    if docname == GLOSSARY or not known or app.builder.format != "html":
        return
    left = dict(known)
    for text in list(_running_text(doctree)):
        if not left:
            return
        pieces = _pieces(app, docname, text.astext(), left)
        if len(pieces) > 1:
            text.parent.replace(text, pieces)


def _running_text(doctree) -> Iterator[nodes.Text]:
    for paragraph in doctree.findall(nodes.paragraph):
        above, inside = paragraph.parent, False
        while above is not None:
            inside, above = inside or isinstance(above, ELSEWHERE), above.parent
        if not inside:
            yield from (t for t in paragraph.findall(nodes.Text) if t.parent is paragraph)


def _pieces(app, docname: str, text: str, left: dict) -> list[nodes.Node]:
    """Return the text cut at the terms that are still to be linked; they leave `left`."""
    forms = sorted(left, key=len, reverse=True)
    match = re.search(rf"\b({'|'.join(map(re.escape, forms))})s?\b", text)
    if match is None:
        return [nodes.Text(text)]
    entry = left[match[1]]
    for form in [f for f, e in left.items() if e["id"] == entry["id"]]:
        del left[form]
    uri = f"{app.builder.get_relative_uri(docname, GLOSSARY)}#{entry['id']}"
    link = nodes.reference("", match[0], refuri=uri, internal=True, classes=["glossary-term"])
    before, after = text[:match.start()], text[match.end():]
    return [*([nodes.Text(before)] if before else []), link,
            *([n for n in _pieces(app, docname, after, left) if n.astext()] if left and after
              else [nodes.Text(after)] if after else [])]


def write_meanings(app, exception: Exception | None) -> None:
    """Write the meanings as a script, which a page may load also without a server."""
    if exception is None and app.builder.format == "html":
        by_id = {entry["id"]: entry["meaning"] for entry in meanings(app).values()}
        script = f"window.glossaryMeanings = {json.dumps(by_id)};\n"
        (Path(app.outdir) / "_static" / "glossary_terms.js").write_text(script)
