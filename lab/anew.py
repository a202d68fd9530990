"""What pages say that others cite, kept for books on a reader's curves and notebooks run alone.

The numbers of DA3 and DA4 on the curves that were gathered anew (their notebooks, run on them in a
minute), and those that the page of findings cited when the book was last built, for `Page.cite`.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import jupytext
import nbformat
import pandas as pd
import papermill

from analysis.notebook import read_numbers
from analysis.published.computed import NotAtHandError
from collection.project.paths import RESULTS, ROOT

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


def last_cited() -> pd.DataFrame:
    """Return the numbers that the page of findings cited when it last ran.

    Raises
    ------
    NotAtHandError
        Where it has not run here.
    """
    file = RESULTS / "findings" / "findings.csv"
    if not file.exists():
        raise NotAtHandError("build the book (make book), whose pages write what is cited")
    return pd.read_csv(file, dtype={"value": str})


KEPT = {"anew_facts": numbers_on, "cited": last_cited}
