"""Keep from the pages what would ask another host, and what is there twice."""


def setup(app) -> dict:
    """Connect to Sphinx, after the extensions that add scripts."""
    app.connect("html-page-context", keep_scripts, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def keep_scripts(app, pagename, templatename, context, doctree) -> None:
    """Drop Thebe, which the book does not use but its builder always adds, and repeated scripts."""
    kept = {}
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body", "")
        if "thebe" not in f"{script}{body}".lower():
            kept.setdefault((str(script), body), script)
    if kept:
        context["script_files"] = list(kept.values())
