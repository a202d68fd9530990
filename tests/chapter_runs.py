"""Run chapters in a copy of the book, on a database of a test's own."""

import shutil
import sys
from functools import cache
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

from collection.project.paths import ROOT, cache_dir

sys.path.append(str(ROOT / "book"))
from forked import Nursery


@cache
def nursery(copy: Path) -> Nursery:
    """Return the process that has loaded a copy's code, from which its kernels are forked."""
    return Nursery()


def copy_book(folder: Path) -> Path:
    """Copy what chapters need into `folder`, with LCDB 1.0's cache, so that they write there."""
    for part in ("analysis", "chapters", "lab", "collection", "book"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copytree(ROOT / "data", folder / "data", ignore=shutil.ignore_patterns("cache"))
    cache = folder / "data" / "cache"
    cache.mkdir()
    for file in cache_dir().glob("lcdb10*"):
        (cache / file.name).symlink_to(file.resolve())
    return folder


def run_chapter(copy: Path, chapter: str, database: str) -> nbformat.NotebookNode:
    """Execute a chapter as ``make book DATABASE=…`` does; what goes to stderr is an error there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE", database)
        patch.setenv("PYTHONPATH", str(copy))
        patch.delenv("LEARNING_CURVES_CACHE", raising=False)
        patch.delenv("LEARNING_CURVES_PUBLISHED", raising=False)
        notebook = jupytext.read(copy / "book" / f"{chapter}.md")
        where = {"metadata": {"path": str(copy / "book")}}
        manager = nursery(copy).manager("python3") if sys.platform == "linux" else None
        NotebookClient(notebook, manager, timeout=1800, resources=where).execute(cleanup_kc=True)
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    complaints = "".join(o["text"] for o in outputs if o.get("name") == "stderr")
    assert not complaints, complaints
    return notebook


def shown_text(notebook: nbformat.NotebookNode) -> str:
    """Return all that a chapter's cells put out."""
    return "".join(str(o.get("data", "")) for cell in notebook.cells
                   for o in cell.get("outputs", []))
