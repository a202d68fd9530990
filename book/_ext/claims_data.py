"""The claims of the book as data, ``claims.json``; on its page each number is a link to itself."""

import json
from pathlib import Path

from claims import export, read_claims

from collection import __version__

FILE, SCHEMA = "claims.json", "_static/claims.schema.json"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", write_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_claims(app, exception: Exception | None) -> None:
    """Write the claims with their numbers, and where each stands on the web or in the book."""
    if exception is not None:
        return
    base = app.config.html_baseurl
    claims = [claim | {"url": f"{base}{claim['page']}#{claim['anchor']}"}
              for claim in export(read_claims())]
    told = {"$schema": SCHEMA, "version": __version__, "claims": claims}
    Path(app.outdir, FILE).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
