"""Results of ours that need curves not everyone has: kept with the date they were computed on.

Whoever has the curves computes them anew; everyone else is shown what came out last.
"""

import datetime
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from collection.naming import UnknownNameError
from collection.paths import ROOT

FOLDER = ROOT / "book" / "computed"
DATE = "computed_on"
DIGITS = "%.6g"  # what is kept of a number: more would differ from machine to machine


def compute_or_recall(name: str, compute: Callable[[], pd.DataFrame],
                      folder: Path = FOLDER) -> pd.DataFrame:
    """Compute a table if its curves are at hand, and keep it; else recall the one kept.

    Parameters
    ----------
    name : str
        Of the file in `folder`, without its ending.
    compute : callable
        Raises FileNotFoundError where the curves that it needs are not at hand.
    folder : Path
        Where tables are kept.

    Returns
    -------
    DataFrame
        As `recall` returns it: numbers have six digits, computed just now or not, so that a page
        does not depend on who builds it.
    """
    try:
        table = compute()
    except FileNotFoundError:
        return recall(name, folder)
    keep(name, table, folder)
    return recall(name, folder)


def keep(name: str, table: pd.DataFrame, folder: Path = FOLDER) -> bool:
    """Write a table with today's date, unless the one kept says the same; tell whether it wrote."""
    path = folder / f"{name}.csv"
    if path.exists():
        kept = pd.read_csv(path, dtype=str, keep_default_na=False).drop(columns=DATE)
        if _text(kept) == _text(table):
            return False
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(_text(table.assign(**{DATE: datetime.date.today().isoformat()})))
    part.replace(path)
    return True


def recall(name: str, folder: Path = FOLDER, text: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return a table that was kept; its column `DATE` says when it was computed.

    Parameters
    ----------
    name, folder
        As in `compute_or_recall`.
    text : tuple of str
        Columns whose numbers stay as they were written.

    Raises
    ------
    UnknownNameError
        If no such table is kept.
    """
    path = folder / f"{name}.csv"
    if not path.exists():
        raise UnknownNameError("kept result", name, sorted(p.stem for p in folder.glob("*.csv")))
    return pd.read_csv(path, dtype=dict.fromkeys(text, str))


def _text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format=DIGITS)
