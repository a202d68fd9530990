"""Run a page's notebook with small parameters; look at what it says and keeps."""

import atexit
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
from papermill import execute_notebook

from analysis.notebook import read_numbers
from collection.project.paths import ROOT

sys.path.append(str(ROOT / "book"))
from forked import Nursery


@dataclass(frozen=True)
class Run:
    """A notebook that ran: its numbers by key, its tables by name, and what it said."""

    name: str
    folder: Path
    notebook: nbformat.NotebookNode

    @property
    def numbers(self) -> pd.DataFrame:
        return read_numbers(self.folder / "results" / self.name / "numbers.csv").set_index("key")

    def table(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self.folder / "results" / self.name / f"{name}.csv")

    @property
    def said(self) -> str:
        """The Markdown that its cells showed."""
        return "\n\n".join(output["data"]["text/markdown"] for cell in self.notebook.cells
                           for output in cell.get("outputs", ())
                           if "text/markdown" in output.get("data", ()))


@cache
def nursery() -> Nursery | None:
    """Return the process that kernels are forked from; outside Linux there is none."""
    if sys.platform != "linux":
        return None
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    started = Nursery()
    atexit.register(started.__exit__)
    return started


def execute(*given: object, **named: object) -> nbformat.NotebookNode:
    """Execute a notebook by papermill, in a kernel that is forked."""
    manager = nursery() and nursery().manager("python3")
    try:
        return execute_notebook(*given, km=manager, **named)
    finally:
        if manager:  # else one that was given stays
            manager.close()


def run(name: str, folder: Path, **parameters: object) -> Run:
    """Execute ``book/<name>.md`` by papermill in a folder; it writes its results there."""
    source = folder / f"{name}.ipynb"
    nbformat.write(jupytext.read(ROOT / "book" / f"{name}.md"), source)
    return Run(name, folder, execute(  # not written: papermill does so twice a cell
        source, None, parameters, kernel_name="python3", progress_bar=False, cwd=folder))
