"""Copy the tables that the chapters wrote into the built book, so that its links find them."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("build-finished", copy_results)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def copy_results(app, exception: Exception | None) -> None:
    """Copy ``results/`` beside the pages, in place of what an earlier build left there."""
    results, copied = (Path(folder) / "results" for folder in (ROOT, app.outdir))
    if exception is None and results.exists():
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(results, copied)
