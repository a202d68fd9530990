"""Run a page's notebook with small parameters; look at what it says and keeps."""

import os
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
import papermill

from analysis.notebook import read_numbers
from collection.project.paths import ROOT


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


def run(name: str, folder: Path, **parameters: object) -> Run:
    """Execute ``book/<name>.md`` by papermill in a folder; it writes its results there."""
    source, made = folder / f"{name}.ipynb", folder / f"{name}.out.ipynb"
    nbformat.write(jupytext.read(ROOT / "book" / f"{name}.md"), source)
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    notebook = papermill.execute_notebook(source, made, parameters, kernel_name="python3",
                                          progress_bar=False, cwd=folder)
    return Run(name, folder, notebook)
