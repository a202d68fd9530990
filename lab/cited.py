"""What the first page and the page of findings cite of other pages, as the last build said it.

Kept for books on a reader's curves, and for notebooks that run alone; read by `Page.cite`.
"""

import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.project.paths import RESULTS


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


KEPT = {"cited": last_cited}
