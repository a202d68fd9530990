"""Give the explorer its files: the curves at hand, and the library that draws them."""

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from sphinx.errors import ExtensionError

PAGE = "book/explorer"
#: Ends when its standard input does: with the build that began it, however that ends.
WRITE = """
import os, sys, threading
from pathlib import Path
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
from chapters.explorer import export
export.export_databases(export.shown_databases(), Path(sys.argv[1]))
"""


def setup(app) -> dict:
    """Connect to Sphinx; the curves are written while chapters run."""
    app.connect("env-before-read-docs", start_writing, priority=100)
    app.connect("build-finished", put_beside)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def start_writing(app, env, docnames: list[str]) -> None:
    """Begin to write the databases' files anew where code or data have changed."""
    kept = _kept(app)
    mark = kept / "stamp"
    if PAGE not in env.found_docs or (
            mark.exists() and mark.read_text() == app.chapter_stamps[PAGE]):
        return
    print("Writing the explorer's curves …", flush=True)
    for before in kept.parent.glob(f"{kept.name}*"):  # of a build that was stopped, too
        shutil.rmtree(before)
    part = kept.with_name(f"{kept.name}.{os.getpid()}")
    app.explorer_writer = part, subprocess.Popen([sys.executable, "-c", WRITE, part],
                                                 stdin=subprocess.PIPE)


def put_beside(app, exception: Exception | None) -> None:
    """Put the databases' files beside the pages, once they are whole."""
    kept = _kept(app)
    part, writer = getattr(app, "explorer_writer", (None, None))
    if exception is not None or PAGE not in app.env.found_docs:
        if writer:
            writer.kill()
        return
    if writer:
        if writer.wait():
            raise ExtensionError("The explorer's curves were not written; see above.")
        (part / "stamp").write_text(app.chapter_stamps[PAGE])
        part.rename(kept)
    library = files("mpld3") / "js" / "d3.v5.min.js"
    shutil.copy(str(library), Path(app.outdir) / "_static" / "explorer" / "d3.min.js")
    _write_colours(kept, Path(app.outdir) / "_static" / "explorer" / "colours.js")
    place = Path(app.outdir) / "explorer"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(kept, place, copy_function=os.link, ignore=lambda *_: ["stamp"])


def _write_colours(curves: Path, place: Path) -> None:
    """Write the colour that each learner has in every figure, as a script."""
    from analysis.drawing.style import learner_style

    names = {name for index in curves.glob("*/index.json")
             for name in json.loads(index.read_text())["learners"]}
    colours = {name: learner_style(name)[0] for name in sorted(names)}
    place.write_text(f"export const COLOURS = {json.dumps(colours)};\n")


def _kept(app) -> Path:
    return Path(app.outdir).parent / "explorer_curves"
