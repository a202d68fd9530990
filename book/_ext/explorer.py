"""Give the explorer its files: the curves that the build wrote, and the library that draws them."""

import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

PAGE = "book/explorer"
KEPT = Path(__file__).resolve().parents[2] / "_build" / "explorer_curves"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", put_beside)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def put_beside(app, exception: Exception | None) -> None:
    """Put the databases' files beside the pages."""
    if exception is not None or PAGE not in app.env.found_docs or not KEPT.exists():
        return
    library = files("mpld3") / "js" / "d3.v5.min.js"
    shutil.copy(str(library), Path(app.outdir) / "_static" / "explorer" / "d3.min.js")
    _write_colours(KEPT, Path(app.outdir) / "_static" / "explorer" / "colours.js")
    place = Path(app.outdir) / "explorer"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(KEPT, place, copy_function=os.link, ignore=lambda *_: ["stamp"])


def _write_colours(curves: Path, place: Path) -> None:
    """Write the colour that each learner has in every figure, as a script."""
    from analysis.drawing.style import learner_style

    names = {name for index in curves.glob("*/index.json")
             for name in json.loads(index.read_text())["learners"]}
    colours = {name: learner_style(name)[0] for name in sorted(names)}
    place.write_text(f"export const COLOURS = {json.dumps(colours)};\n")
