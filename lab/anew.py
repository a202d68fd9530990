"""The numbers of DA3 and DA4 on the curves that were gathered anew: their notebooks, run on them.

A minute; read by the two pages, as the installed package is without the curves.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
import papermill

from analysis.notebook import read_numbers
from collection.project.paths import ROOT

PAGES = ("da3", "da4")


def numbers_on(database: str = "lcdb11-anew", pages: Iterable[str] = PAGES) -> pd.DataFrame:
    """Return what pages keep on another database, with a column ``chapter``.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.
    pages : iterable of str
        Names of notebooks in ``book/`` with a parameter ``database``.
    """
    parts = []
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"{page}.ipynb"
            nbformat.write(jupytext.read(ROOT / "book" / f"{page}.md"), source)
            papermill.execute_notebook(source, None, {"database": database}, cwd=folder,
                                       kernel_name="python3", progress_bar=False)
            kept = read_numbers(Path(folder) / "results" / page / "numbers.csv")
        kept = kept[~kept["key"].str.startswith("anew_")].assign(chapter=page)
        parts.append(kept[[not isinstance(value, str) for value in kept["value"]]])
    return pd.concat(parts, ignore_index=True).astype({"value": float})


KEPT = {"anew_facts": numbers_on}
