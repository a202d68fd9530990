"""Comma-separated text, read so that the same numbers come out that Python itself would read."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

import pandas as pd
from tqdm import tqdm

from collection.datasets.dataset import DatasetError

MISSING = ["?", "<null>"]
LARGE = 100e6  # bytes from which on reading shows how far it is


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
        with _watched(Path(path)) as file:
            frame = pd.read_csv(file, dtype={target: str}, na_values=MISSING, low_memory=False,
                                skipinitialspace=True, float_precision="round_trip", **options)
    except (OSError, UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise DatasetError(f"{source}: {path} cannot be read as comma-separated text in UTF-8: "
                           f"{error}") from error
    for column in frame.select_dtypes(object):  # may hold True and False beside NaN
        frame[column] = frame[column].map(lambda v: v.strip() if isinstance(v, str) else v)
    return frame


@contextmanager
def _watched(path: Path) -> Iterator[Path | IO[bytes]]:
    """Return the file, open and with a progress bar where it is large; else its path."""
    size = path.stat().st_size
    if size < LARGE or path.suffix in (".gz", ".bz2", ".xz", ".zst", ".zip"):
        yield path  # which tells pandas how it is compressed
        return
    with (path.open("rb") as file,
          tqdm.wrapattr(file, "read", total=size, desc=f"reading {path.name}", mininterval=1,
                        leave=False) as watched):
        yield watched
