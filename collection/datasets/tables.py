"""Comma-separated text, read so that the same numbers come out that Python itself would read."""

from os import PathLike

import pandas as pd

from collection.datasets.dataset import DatasetError

MISSING = ["?", "<null>"]


def read_table(path: str | PathLike, source: str, target: str, **options) -> pd.DataFrame:
    """Read the comma-separated file at `path`; blanks around values do not count.

    Parameters
    ----------
    path : path
        The file.
    source : str
        The spec, for messages.
    target : str
        Name of the column whose values are labels: text as written, even where all are numbers.
    **options
        For `pandas.read_csv`.

    Returns
    -------
    pandas.DataFrame
        ``?`` and ``<null>`` are missing (NaN). A column whose other values are all numbers is
        numeric.

    Raises
    ------
    DatasetError
        The file is absent, empty, not text in UTF-8, or not a table.
    """
    try:
        frame = pd.read_csv(path, dtype={target: str}, na_values=MISSING, low_memory=False,
                            skipinitialspace=True, float_precision="round_trip", **options)
    except (OSError, UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise DatasetError(f"{source}: {path} cannot be read as comma-separated text in UTF-8: "
                           f"{error}") from error
    for column in frame.select_dtypes(object):  # may hold True and False beside NaN
        frame[column] = frame[column].map(lambda v: v.strip() if isinstance(v, str) else v)
    return frame
