"""Read a file of splits in OpenML's form: ARFF with a line per row, its side, repeat and fold."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd

from collection.project.opening import BYTES_MOST, read_text

COLUMNS = ("type", "rowid", "repeat", "fold")
Rows = dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]


class TaskError(ValueError):
    """A task that cannot be carried out; the message says which, why, and what to do."""


def read_split_file(path: str | Path) -> Rows:
    """Return the training and test rows of every repeat and fold.

    Parameters
    ----------
    path : str or Path
        An ARFF file with the columns ``type`` (TRAIN or TEST), ``rowid``, ``repeat``, ``fold``, in
        any order; what else it has is ignored.

    Returns
    -------
    dict of (repeat, fold) to (train, test)
        Arrays of row numbers from 0, in the file's order.

    Raises
    ------
    TaskError
        Where the file is absent, cut short or not of that form.
    """
    text = read_text(path, TaskError, BYTES_MOST)
    names, data = _parts(text, path)
    try:
        table = pd.read_csv(io.StringIO(data), names=names, comment="%", skipinitialspace=True,
                            dtype=dict.fromkeys(COLUMNS[1:], np.int64))
    except ValueError as error:
        raise TaskError(f"The splits {path} are damaged: {error}.") from error
    side = table["type"].astype(str).str.upper()
    if not side.isin(["TRAIN", "TEST"]).all():
        odd = table["type"][~side.isin(["TRAIN", "TEST"])].iloc[0]
        raise TaskError(f"The splits {path} have a row of type {odd!r}; it is TRAIN or TEST.")
    rows, is_test = {}, side == "TEST"
    for (repeat, fold), own in table["rowid"].groupby([table["repeat"], table["fold"]]):
        test = is_test[own.index]
        rows[int(repeat), int(fold)] = (own[~test].to_numpy(), own[test].to_numpy())
    return rows


def write_split_file(path: str | Path, folds) -> None:
    """Write folds (`collection.tasks.procedures.Fold`) so that `read_split_file` reads them."""
    lines = ["@relation splits", "", "@attribute type {TRAIN,TEST}",
             *(f"@attribute {name} numeric" for name in COLUMNS[1:]), "", "@data"]
    for fold in folds:
        for side, rows in (("TRAIN", fold.train), ("TEST", fold.test)):
            lines += [f"{side},{row},{fold.repeat},{fold.fold}" for row in rows]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _parts(text: str, path: str | Path) -> tuple[list[str], str]:
    """Return the names of the columns and the lines of data."""
    head, *data = re.split("@data|@DATA", text, maxsplit=1)
    names = [line.split()[1].strip("'\"").lower() for line in head.splitlines()
             if line.lower().startswith("@attribute") and len(line.split()) > 1]
    if not data or not set(COLUMNS) <= set(names):
        raise TaskError(f"The splits {path} are no ARFF file with the columns "
                        f"{', '.join(COLUMNS)}.")
    return names, data[0]
