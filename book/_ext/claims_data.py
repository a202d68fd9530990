"""The claims of the book as data, ``claims.json``; on its page each number is a link to itself."""

import json
from pathlib import Path

from chapters.claims import FILE as LIST
from chapters.claims import chapter_of, export, read_claims, with_links
from collection import __version__

FILE, SCHEMA = "claims.json", "_static/claims.schema.json"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("source-read", link_claims)
    app.connect("build-finished", write_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def link_claims(app, docname: str, source: list[str]) -> None:
    """Give each claim of a chapter a place, which it links to."""
    app.env.note_dependency(str(LIST))  # else a page read before the list changed lacks its places
    claims = read_claims()
    own = claims[claims["file"].map(chapter_of) == Path(docname).name]
    source[0] = with_links(source[0], own["key"])


def write_claims(app, exception: Exception | None) -> None:
    """Write the claims with their numbers, and where each stands on the web or in the book."""
    if exception is not None:
        return
    base = app.config.html_baseurl
    claims = [claim | {"url": f"{base}{claim['page']}#{claim['anchor']}"}
              for claim in export(read_claims())]
    told = {"$schema": SCHEMA, "version": __version__, "claims": claims}
    Path(app.outdir, FILE).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
