"""How a text file of a user's own separates its values: commas, semicolons or tabs."""

import re
from os import PathLike

import pandas as pd

SEPARATORS = (",", ";", "\t")
SAMPLE = 200  # rows that are looked at
WITH_COMMA, WITH_POINT = re.compile(r"-?\d+,\d+"), re.compile(r"-?\d+\.\d+")


def find_separators(path: str | PathLike, target: str) -> dict[str, str]:
    """Return how to read the file at `path`, for `pandas.read_csv`.

    Commas, unless semicolons or tabs make a column called `target` of the header and they do not;
    where none or all do, whatever makes the most columns. Where values are not separated by
    commas, numbers may have them: ``3,5``.

    Parameters
    ----------
    path : path
        The file.
    target : str
        A column that it should have; empty where none is known.

    Returns
    -------
    dict
        ``sep`` and ``decimal``; those of a comma-separated file where nothing else fits.
    """
    heads = {sep: head for sep in SEPARATORS if (head := _head(path, sep)) is not None}
    sep = max(heads, key=lambda s: (target in heads[s], heads[s].shape[1]), default=",")
    decimal = "," if sep != "," and _has_decimal_commas(heads[sep]) else "."
    return {"sep": sep, "decimal": decimal}


def _head(path: str | PathLike, sep: str) -> pd.DataFrame | None:
    try:
        return pd.read_csv(path, sep=sep, nrows=SAMPLE, dtype=str, skipinitialspace=True,
                           on_bad_lines="skip")
    except (OSError, ValueError):  # what is wrong with the file is said when it is read
        return None


def _has_decimal_commas(head: pd.DataFrame) -> bool:
    cells = [cell.strip() for cell in head.to_numpy().ravel() if isinstance(cell, str)]
    return (any(WITH_COMMA.fullmatch(cell) for cell in cells)
            and not any(WITH_POINT.fullmatch(cell) for cell in cells))
