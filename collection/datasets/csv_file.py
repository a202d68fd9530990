"""Datasets from a user's own text files: ``csv:PATH?target=COLUMN``.

``?regress=COLUMN`` instead, where the column's numbers are to be predicted. Numbers come out as
Python itself would read them. Of what a table may hold by mistake (copies of the target,
identifiers, dates, text) nothing is changed: a learner takes such columns as it takes any other;
their curves mislead.
"""

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np
import pandas as pd
from tqdm import tqdm

from collection.datasets import columns, files
from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.project.naming import UnknownNameError
from collection.project.opening import PACKED, open_file

SEPARATOR, REGRESS = "?target=", "?regress="
TEXT_SEPARATORS = (",", ";", "\t")
SAMPLE = 200  # rows that are looked at
LARGE = 100e6  # bytes from which on reading shows how far it is
MANY_NUMBERS = 20  # different labels that are numbers: more look like something to regress on
IDENTIFIER = re.compile(r"(?i)(.*[\W_])?(id|index|key|no|nr|number|unnamed: 0)|.*[a-z]I[Dd]")
WORDS = 4  # on average, from which on values are text rather than names
ON_DISK = re.compile(r"(csv|bundle):(.*?)((?:\?(?:target|regress)=.*)?)", re.DOTALL)


def load(name: str) -> Dataset:
    """Load the file at PATH, whose first line names the columns.

    Values are separated by commas, or by semicolons or tabs where the file is so. What is no text
    in UTF-8 (Parquet, Excel, UTF-16) is read as `make report` reads it. What looks like a mistake
    (an identifier, dates, a copy of the target) is warned of and stays.

    A column that holds only numbers is numeric, any other categorical; what pandas takes for
    missing (an empty field, NA, NaN, null, …) and ``?`` are missing. The dataset is named after
    the file.

    Parameters
    ----------
    name : str
        ``PATH?target=COLUMN``; everything after ``?target=`` is the column's name as it stands.
        ``PATH?regress=COLUMN`` for a regression problem.

    Raises
    ------
    DatasetError
        No target is named, the file cannot be read, its header does not fit its rows, or the
        labels are numbers that a regression would predict.
    UnknownNameError
        The file has no such column.
    """
    regression = REGRESS in name and SEPARATOR not in name
    path, asked, target = name.rpartition(REGRESS if regression else SEPARATOR)
    source = f"csv:{name}"
    if not asked or not target:
        raise DatasetError(f"{source} does not name the column that holds the class labels. "
                           f"Write csv:PATH{SEPARATOR}COLUMN.{_columns(path or name)}")
    frame, form = _read(path, source, target)
    if target not in frame:
        raise UnknownNameError(f"column of {path}", target, frame.columns)
    if form.get("decimal") == ",":
        for note in files.take_commas(frame, "" if regression else target):
            warnings.warn(f"{source}: {note}", stacklevel=2)
    file = Path(path).name
    dataset = make_dataset(frame, target, name=file.lstrip(".").split(".")[0] or file,
                           source=source, regression=regression)
    if not regression and looks_continuous(dataset.target):
        raise DatasetError(
            f"{source}: the target {target!r} holds {len(dataset.classes)} different numbers in "
            f"{dataset.n_rows} rows: a regression problem. To predict the numbers: "
            f"csv:{path}{REGRESS}{target}.")
    for message in suspicious_columns(dataset):
        warnings.warn(f"{source}: {message}", stacklevel=2)
    return dataset


def outside(spec: str) -> str:
    """Return the path that a dataset's spec names outside the folder worked in; empty: none."""
    named = ON_DISK.fullmatch(spec)
    if named is None:
        return ""
    path = PurePosixPath(named[2].replace("\\", "/"))
    away = path.is_absolute() or ".." in path.parts or path.parts[:1] == ("~",) or (
        ":" in path.parts[0] if path.parts else False)
    return named[2] if away or named[1] == "bundle" else ""


def portable(spec: str, folder: Path | None = None) -> str:
    """Return the spec as what is passed on has it: no path that tells of the machine.

    Parameters
    ----------
    spec : str
        Of a dataset; only those of files change.
    folder : Path, optional
        Of a store: what lies beside or below it, or shares more than a home folder with it, is
        named relative to it; anything else by its file's name alone.
    """
    path = outside(spec)
    if not path:
        return spec
    kind, _, asked = ON_DISK.fullmatch(spec).groups()
    there, name = Path(path).expanduser().absolute(), PurePosixPath(path.replace("\\", "/")).name
    if kind == "csv" and folder is not None:
        common = Path(os.path.commonpath([there, folder.absolute()]))
        if common not in (Path(common.anchor), Path("~").expanduser().parent):
            name = Path(os.path.relpath(there, folder.absolute())).as_posix()
    return f"{kind}:{name}{asked}"


def located(spec: str, folder: Path) -> str:
    """Return the spec of a dataset that a store in `folder` names so that it can be loaded."""
    named = ON_DISK.fullmatch(spec)
    if named is None or Path(named[2]).is_file() or not (folder / named[2]).is_file():
        return spec
    return f"{named[1]}:{folder / named[2]}{named[3]}"


def _read(path: str, source: str, target: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read the file, and see that its header names every column; return how it was read, too.

    Where the rows have one value more than the header, pandas takes the first for an index and
    shifts the names: right for what R writes with its row names, and wrong for anything else.
    """
    if Path(path).suffix.lower() in (*files.EXCEL, *files.PARQUET) and Path(path).is_file():
        return _read_other(path, source, target), {}
    form = find_separators(path, target)
    try:
        frame = read_table(path, source, target, **form)
    except DatasetError as error:
        if not isinstance(error.__cause__, UnicodeDecodeError):
            raise
        return _read_other(path, source, target), {}
    # An index of 0, 1, … may have been read, too: pandas 3.1 makes a range of it.
    if isinstance(frame.index, pd.RangeIndex) and (frame.empty or frame.shape[1] >= len(
            _head(path, form["sep"], header=None, skiprows=1, nrows=1).columns)):
        return frame, form
    if frame.iloc[:, -1].isna().all():  # every row ends with a separator
        return read_table(path, source, target, index_col=False, **form), form
    if not _are_row_names(frame.index):
        raise DatasetError(
            f"{source}: the header of {path} names {frame.shape[1]} columns, and its rows have "
            f"{frame.shape[1] + frame.index.nlevels} values. Name them all: as it is, nobody can "
            "tell which name is of which.")
    warnings.warn(f"{source}: rows have one value more than the header of {path} has names. The "
                  "first is taken for the row names that R writes, and left out.", stacklevel=3)
    return frame.reset_index(drop=True), form


def _read_other(path: str, source: str, target: str) -> pd.DataFrame:
    """Read what is no text in UTF-8, as `make report` does."""
    frame, notes = files.read_file(Path(path), target)
    for note in notes:
        warnings.warn(f"{source}: {note}", stacklevel=4)
    return frame


def _are_row_names(index: pd.Index) -> bool:
    """Tell whether the first values of the rows are 1, 2, 3, … or distinct words."""
    if index.nlevels > 1 or not index.is_unique:
        return False
    numbers = pd.to_numeric(index.to_series(), errors="coerce")
    return list(numbers) == list(range(1, len(index) + 1)) or bool(numbers.isna().all())


def _columns(path: str) -> str:
    """Name the columns of the file, if there is one."""
    if not Path(path).is_file():
        return ""
    head = read_table(path, f"csv:{path}", "", nrows=0, **find_separators(path, ""))
    return f" Its columns: {', '.join(map(repr, head.columns))}."


def find_separators(path: str | PathLike, target: str) -> dict[str, str]:
    """Return how to read the file at `path`, for `pandas.read_csv`.

    Commas, unless semicolons or tabs make a column called `target` of the header and they do not;
    where none or all do, whatever makes the most columns. Where values are not separated by
    commas, numbers may have them: ``3,5``; points are of thousands then: ``1.234,5``.

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
    heads = {sep: head for sep in TEXT_SEPARATORS if (head := _head(path, sep)) is not None}
    sep = max(heads, key=lambda s: (target in heads[s], heads[s].shape[1]), default=",")
    decimal = "," if sep != "," and files.has_decimal_commas(heads[sep]) else "."
    return {"sep": sep, "decimal": decimal}


def _head(path: str | PathLike, sep: str, **options) -> pd.DataFrame | None:
    try:
        with open_file(path, DatasetError) as file:
            return pd.read_csv(file, sep=sep, dtype=str, skipinitialspace=True,
                               **{"nrows": SAMPLE, "on_bad_lines": "skip", **options})
    except ValueError:  # what is wrong with the file is said when it is read
        return None


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
            frame = pd.read_csv(file, dtype={target: str}, na_values=files.MISSING,
                                low_memory=False, skipinitialspace=True, **files.EXACT, **options)
    except DatasetError as error:
        raise DatasetError(f"{source}: {error}") from error
    except (UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise DatasetError(f"{source}: {path} cannot be read as comma-separated text in UTF-8: "
                           f"{error}") from error
    texts = [name for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    for column in texts:  # may hold True and False beside NaN
        frame[column] = frame[column].map(lambda v: v.strip() if isinstance(v, str) else v)
    return frame


@contextmanager
def _watched(path: Path) -> Iterator[IO[bytes]]:
    """Return the file, open, with a progress bar where it is large."""
    with open_file(path, DatasetError) as file:
        size = path.stat().st_size
        if size < LARGE or path.suffix.lower() in (*PACKED, ".zip"):
            yield file
            return
        with tqdm.wrapattr(file, "read", total=size, desc=f"reading {path.name}", mininterval=1,
                           leave=False) as watched:
            yield watched


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
        if len(labels) >= columns.LEAST_ROWS and _tells(codes, labels, column, dataset.target):
            yield (f"column {name!r} tells the target {dataset.target_name!r} without error: is it "
                   "a copy of it, or known only afterwards?")
        elif column.dtype == np.float64:
            if columns.counts_rows(column) or (
                    IDENTIFIER.fullmatch(name) and columns.all_differ(column)):
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


def _of_text(name: str, column: pd.Series) -> Iterator[str]:
    """Yield what is odd about a categorical column without its gaps."""
    values = column.cat.categories.astype(str)
    n = len(values)
    if columns.as_times(values.to_series()) is not None:
        yield f"column {name!r} holds dates, taken for {n} categories: make numbers of them."
    elif n > max(columns.LEAST_ROWS, len(column) / 2):
        words = np.mean([len(value.split()) for value in values])
        what = "free text" if words >= WORDS else "an identifier"
        yield (f"column {name!r} has {n} different values in {len(column)} rows, each a category "
               f"of its own: {what}?")
