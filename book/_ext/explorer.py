"""Give the explorer its files: the curves at hand, and the library that draws them."""

import os
import shutil
from importlib.resources import files
from pathlib import Path

PAGE = "book/explorer"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", write_explorer)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_explorer(app, exception: Exception | None) -> None:
    """Put the databases' files beside the pages; written anew when code or data have changed."""
    if exception is not None or PAGE not in app.env.found_docs:
        return
    library = files("mpld3") / "js" / "d3.v5.min.js"
    shutil.copy(str(library), Path(app.outdir) / "_static" / "explorer" / "d3.min.js")
    kept = Path(app.outdir).parent / "explorer_curves"
    mark, now = kept / "stamp", app.chapter_stamps[PAGE]
    if not mark.exists() or mark.read_text() != now:
        _write(kept)
        mark.write_text(now)
    place = Path(app.outdir) / "explorer"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(kept, place, copy_function=os.link, ignore=lambda *_: ["stamp"])


def _write(folder: Path) -> None:
    from chapters.explorer.export import export_databases, shown_databases

    print("Writing the explorer's curves …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    export_databases(shown_databases(), folder)
