"""Text files of a user's own: how they separate values, reading them, and what looks wrong.

Numbers come out as Python itself would read them. Of what a table may hold by mistake (copies of
the target, identifiers, dates, text) nothing is changed: a learner takes such columns as it takes
any other; their curves mislead.
"""

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
from packaging.version import Version
from tqdm import tqdm

from collection.datasets.dataset import Dataset, DatasetError

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


MISSING = ["?", "<null>"]
# Numbers to the last bit, which pandas reads since 3.1 without being asked, and warns of the wish.
EXACT: Mapping[str, str] = {} if Version(pd.__version__) >= Version("3.1") else {
    "float_precision": "round_trip"}
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
                                skipinitialspace=True, **EXACT, **options)
    except (OSError, UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise DatasetError(f"{source}: {path} cannot be read as comma-separated text in UTF-8: "
                           f"{error}") from error
    texts = [name for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    for column in texts:  # may hold True and False beside NaN
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


LEAST_ROWS = 20  # with fewer, every value may differ by chance
MANY_NUMBERS = 20  # different labels that are numbers: more look like something to regress on
IDENTIFIER = re.compile(r"(?i)(.*[\W_])?(id|index|key|no|nr|number|unnamed: 0)|.*[a-z]I[Dd]")
WORDS = 4  # on average, from which on values are text rather than names


def suspicious_columns(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence for every column that a classifier had better not get.

    Parameters
    ----------
    dataset : Dataset
        As it was loaded.
    """
    labels = pd.factorize(dataset.target)[0]
    for name, column in dataset.features.items():
        codes = pd.factorize(column)[0]
        if len(labels) >= LEAST_ROWS and _tells(codes, labels, column, dataset.target):
            yield (f"column {name!r} tells the target {dataset.target_name!r} without error: is it "
                   "a copy of it, or known only afterwards?")
        elif column.dtype == np.float64:
            if counts_rows(column) or (IDENTIFIER.fullmatch(name) and _all_differ(column)):
                yield f"column {name!r} has another whole number in every row: an identifier?"
        else:
            yield from _of_text(name, column.dropna())


def _tells(codes: np.ndarray, labels: np.ndarray, column: pd.Series, target: np.ndarray) -> bool:
    """Tell whether a column's values go with the target's, one to one.

    Where all of the target's numbers differ, as of most measurements, any column without ties
    would: then only one that has the same order, or the reverse.
    """
    if not np.array_equal(codes, labels):
        return False
    if len(np.unique(labels)) < len(labels):
        return True
    if column.dtype != np.float64:
        return False
    rows = np.argsort(target, kind="stable")
    steps = np.sign(np.diff(column.to_numpy()[rows]))
    return bool(abs(steps.sum()) == len(steps))


def looks_continuous(labels: np.ndarray) -> bool:
    """Tell whether labels are numbers that a regression rather than a classifier would predict.

    They are where more than `MANY_NUMBERS` different numbers occur, and some are not whole or
    occur in fewer rows than the protocol's splits need.
    """
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    values, counts = np.unique(numbers, return_counts=True)
    return (bool(numbers.notna().all()) and len(values) > MANY_NUMBERS
            and bool((values % 1 != 0).any() or counts.min() < 3))


def _all_differ(column: pd.Series) -> bool:
    return (len(column) >= LEAST_ROWS and bool(column.notna().all()) and column.is_unique
            and bool((column % 1 == 0).all()))


def counts_rows(column: pd.Series) -> bool:
    """Tell whether a numeric column holds a run of whole numbers, another in every row."""
    return _all_differ(column) and column.max() - column.min() == len(column) - 1


def _of_text(name: str, column: pd.Series) -> Iterator[str]:
    """Yield what is odd about a categorical column without its gaps."""
    values = column.cat.categories.astype(str)
    n = len(values)
    if are_dates(values):
        yield f"column {name!r} holds dates, taken for {n} categories: make numbers of them."
    elif n > max(LEAST_ROWS, len(column) / 2):
        words = np.mean([len(value.split()) for value in values])
        what = "free text" if words >= WORDS else "an identifier"
        yield (f"column {name!r} has {n} different values in {len(column)} rows, each a category "
               f"of its own: {what}?")


def are_dates(values: pd.Index) -> bool:
    """Tell whether texts are dates."""
    some = values[:100]
    if not some.str.contains(r"\d\s*[-/.:]\s*\d|\d \w+ \d").all():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it guesses
        return bool(pd.to_datetime(pd.Series(some), errors="coerce", format="mixed").notna().all())
