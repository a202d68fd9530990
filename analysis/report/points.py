"""Measurements of any model: a CSV file of training-set sizes and errors."""

from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

LEAST_SIZES = 4  # below, the intervals of an extrapolation were not tested
MOST_ROWS = 1e12  # a size above is a slip


class PointsError(ValueError):
    """A file of points that cannot be used; the message says what is wrong, where, what to do."""


def read_points(path: Path) -> xr.DataArray:
    """Read points and return them as curves.

    Parameters
    ----------
    path : Path
        CSV with columns ``size`` (rows), ``error`` (0 to 1), and if wanted ``repeat`` (any label)
        and ``learner`` (names; without it all points are of one model) and ``tested`` (rows that
        the error was measured on).

    Returns
    -------
    xarray.DataArray, dims (learner, repeat, anchor)
        Errors; NaN where a repeat has none. The attribute ``tested`` says for each learner how many
        rows its errors at the largest size were measured on, where the file does.

    Raises
    ------
    PointsError
        The file is absent or no such table, a size is no positive number or is there twice in a
        repeat, an error is outside 0 to 1, or there are fewer than 4 sizes.
    """
    table = _read(path)
    if table.empty:
        raise PointsError(f"{path} has no rows below its line of names. Give a line for each size: "
                          "100,0.34")
    for number, row in enumerate(table.itertuples(), 2):
        if not 0 < row.size <= MOST_ROWS:
            raise PointsError(f"{path}, line {number}: size {row.size:g} is no number of rows.")
        if not 0 <= row.error <= 1:
            raise PointsError(f"{path}, line {number}: error {row.error:g} is not between 0 and 1. "
                              "Errors are shares: write 12 % as 0.12, an accuracy as 1 minus it.")
    keys = ["learner", "repeat", "size"]
    twice = table[table.duplicated(keys, keep=False)]
    if len(twice):
        raise PointsError(f"{path}: size {twice['size'].iloc[0]:g} is there more than once. Give "
                          "repeated measurements their own label in a column 'repeat'.")
    fewest = table.groupby("learner")["size"].nunique().min()
    if fewest < LEAST_SIZES:
        raise PointsError(f"{path} has {fewest} different sizes, and an extrapolation needs "
                          f"{LEAST_SIZES}. Train on parts of the data too: half, a quarter, an "
                          "eighth.")
    series = table.set_index(keys)["error"].rename_axis(["learner", "repeat", "anchor"])
    last = table.sort_values("size",
                             kind="stable").groupby("learner").tail(1).set_index("learner")["tested"]
    return series.to_xarray().rename("error").assign_attrs(tested=last.dropna().to_dict())


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise PointsError(f"There is no file {path}. POINTS takes the path of a CSV file.")
    try:
        with path.open(encoding="utf-8-sig") as lines:
            separator = max(",;\t", key=lines.readline().count)
        table = pd.read_csv(path, sep=separator, skipinitialspace=True, encoding="utf-8-sig")
    except (ValueError, UnicodeDecodeError, pd.errors.ParserError) as error:
        raise PointsError(f"{path} cannot be read as a CSV file: {error}") from error
    lacking = {"size", "error"} - set(table.columns)
    if lacking:
        raise PointsError(f"{path} has no column {' and no column '.join(sorted(lacking))}; its "
                          f"columns are {', '.join(map(str, table.columns))}. The first line has "
                          "to name them: size,error or size,error,repeat.")
    for name in ("size", "error", *({"tested"} & set(table.columns))):
        numbers = pd.to_numeric(table[name] if name != "error" else table[name].astype(str).str
                                .replace(",", "."), errors="coerce")  # a decimal comma
        if numbers.isna().any():
            line = int(np.flatnonzero(numbers.isna())[0]) + 2
            raise PointsError(f"{path}, line {line}: {name} is "
                              f"{table[name].iloc[line - 2]!r}, not a number.")
        table[name] = numbers
    if (table.get("tested", pd.Series([1])) < 1).any():
        raise PointsError(f"{path}: a number of rows tested on is below 1.")
    return table.assign(learner=table.get("learner", "your model"),
                        repeat=table.get("repeat", 0), tested=table.get("tested", np.nan))
