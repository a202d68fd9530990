"""Results of ours that need curves not everyone has: kept with the date they were computed on.

Everyone is shown what came out last. Nothing is written but by commands of their own
(``make recompute``): a build changes no file that is tracked.
"""

import datetime
from pathlib import Path

import pandas as pd

from collection.project.naming import UnknownNameError
from collection.project.paths import COMPUTED, written_whole

FOLDER = COMPUTED
DATE = "computed_on"
DIGITS = "%.6g"  # what is kept of a number: more would differ from machine to machine


def keep(name: str, table: pd.DataFrame, folder: Path = FOLDER) -> bool:
    """Write a table with today's date, unless the one kept says the same; tell whether it wrote."""
    path = folder / f"{name}.csv"
    if _says_the_same(path, table):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        part.write_text(_text(table.assign(**{DATE: datetime.date.today().isoformat()})))
    return True


def recall(name: str, folder: Path = FOLDER, text: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return a table that was kept; its column `DATE` says when it was computed.

    Parameters
    ----------
    name : str
        Of the file in `folder`, without its ending.
    folder : Path
        Where tables are kept.
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


def _says_the_same(path: Path, table: pd.DataFrame) -> bool:
    """Tell whether the table kept there, if any, is this one but for its date."""
    if not path.exists():
        return False
    as_written = pd.read_csv(path, dtype=str, keep_default_na=False)
    return _text(as_written.drop(columns=DATE)) == _text(table)


def _text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format=DIGITS)


class NotAtHandError(FileNotFoundError):
    """Data that have to be fetched are not here; the message says how to get them.

    Only this stands for "not at hand": any other missing file is a fault, and no reason to show
    a kept result in its place.
    """
