"""Results of ours that need curves not everyone has: kept with the date they were computed on.

Whoever has the curves is shown what comes out now, everyone else what came out last. Nothing is
written but by commands of their own (``make recompute``): a build changes no file that is tracked.
"""

import datetime
import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from collection.project.naming import UnknownNameError
from collection.project.paths import COMPUTED, written_whole

FOLDER = COMPUTED
DATE = "computed_on"
DIGITS = "%.6g"  # what is kept of a number: more would differ from machine to machine


def compute_or_recall(name: str, compute: Callable[[], pd.DataFrame],
                      folder: Path = FOLDER) -> pd.DataFrame:
    """Compute a table if its curves are at hand; else recall the one kept. Nothing is written.

    Parameters
    ----------
    name : str
        Of the file in `folder`, without its ending.
    compute : callable
        Raises `NotAtHandError` where the curves that it needs are not at hand; whatever else it
        raises is passed on.
    folder : Path
        Where tables are kept.

    Returns
    -------
    DataFrame
        As `recall` returns it: numbers have six digits, computed just now or not, so that a page
        does not depend on who builds it. The date is that of the table kept where both say the
        same, and else today's.
    """
    try:
        table = compute()
    except NotAtHandError:
        return recall(name, folder)
    return recall(name, folder) if _says_the_same(_path(name, folder), table) else _read(
        io.StringIO(_dated(table)))


def keep(name: str, table: pd.DataFrame, folder: Path = FOLDER) -> bool:
    """Write a table with today's date, unless the one kept says the same; tell whether it wrote."""
    path = _path(name, folder)
    if _says_the_same(path, table):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        part.write_text(_dated(table))
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
    path = _path(name, folder)
    if not path.exists():
        raise UnknownNameError("kept result", name, sorted(p.stem for p in folder.glob("*.csv")))
    return _read(path, text)


def _path(name: str, folder: Path) -> Path:
    return folder / f"{name}.csv"


def _read(source: Path | io.StringIO, text: tuple[str, ...] = ()) -> pd.DataFrame:
    return pd.read_csv(source, dtype=dict.fromkeys(text, str))


def _says_the_same(path: Path, table: pd.DataFrame) -> bool:
    """Tell whether the table kept there, if any, is this one but for its date."""
    if not path.exists():
        return False
    as_written = pd.read_csv(path, dtype=str, keep_default_na=False)
    return _text(as_written.drop(columns=DATE)) == _text(table)


def _dated(table: pd.DataFrame) -> str:
    return _text(table.assign(**{DATE: datetime.date.today().isoformat()}))


def _text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format=DIGITS)


class NotAtHandError(FileNotFoundError):
    """Data that have to be fetched are not here; the message says how to get them.

    Only this stands for "not at hand": any other missing file is a fault, and no reason to show
    a kept result in its place.
    """
