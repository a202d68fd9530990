"""Copy the tables that the chapters wrote into the built book, so that its links find them."""

import shutil
from pathlib import Path


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", copy_results)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def copy_results(app, exception: Exception | None) -> None:
    """Copy ``results/`` beside the pages."""
    results = Path(app.srcdir) / "results"
    if exception is None and results.exists():
        shutil.copytree(results, Path(app.outdir) / "results", dirs_exist_ok=True)
