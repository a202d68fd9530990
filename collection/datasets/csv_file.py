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
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from collection.datasets import columns, files
from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.project.naming import check_known
from collection.project.shown import said_if_slow

SEPARATOR, REGRESS = "?target=", "?regress="
MANY_NUMBERS = 20  # different labels that are numbers: more look like something to regress on
ON_DISK = re.compile(r"(csv|bundle):(.*?)((?:\?(?:target|regress)=.*)?)", re.DOTALL)


def load(name: str) -> Dataset:
    """Load the file at PATH, whose first line names the columns.

    It is read as `make report` reads it (`collection.datasets.files.read_file`). What looks like a
    mistake (an identifier, dates, a copy of the target) is warned of and stays.

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
        No target is named, the file cannot be read, or the labels are numbers that a regression
        would predict.
    UnknownNameError
        The file has no such column.
    """
    regression = REGRESS in name and SEPARATOR not in name
    path, asked, target = name.rpartition(REGRESS if regression else SEPARATOR)
    source = f"csv:{name}"
    if not asked or not target:
        raise DatasetError(f"{source} does not name the column that holds the class labels. "
                           f"Write csv:PATH{SEPARATOR}COLUMN.{_columns(path or name)}")
    try:
        with said_if_slow(f"reading {path}"):
            frame, notes = files.read_file(Path(path), target, labels="" if regression else target)
    except DatasetError as error:
        raise DatasetError(f"{source}: {error}") from error
    check_known(f"column of {path}", [target], frame.columns)
    file = Path(path).name
    dataset = make_dataset(files.without_blanks(frame), target, source=source,
                           name=file.lstrip(".").split(".")[0] or file, regression=regression)
    if not regression and looks_continuous(dataset.target):
        raise DatasetError(
            f"{source}: the target {target!r} holds {len(dataset.classes)} different numbers in "
            f"{dataset.n_rows} rows: a regression problem. To predict the numbers: "
            f"csv:{path}{REGRESS}{target}.")
    for message in (*notes, *suspicious_columns(dataset)):
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


def _columns(path: str) -> str:
    """Name the columns of the file, if there is one."""
    try:
        names = files.read_cells(Path(path))[0]
    except DatasetError:
        return ""
    return f" Its columns: {', '.join(map(repr, names))}."


def suspicious_columns(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence for every column that a classifier had better not get.

    Parameters
    ----------
    dataset : Dataset
        As it was loaded.
    """
    labels = pd.factorize(dataset.target)[0]
    for name, column in dataset.features.items():
        codes, numeric = pd.factorize(column)[0], column.dtype == np.float64
        unused = columns.why_ignored(column if numeric else column.astype(object))
        if numeric and columns.NAMED_ID.fullmatch(name) and columns.all_differ(column):
            unused = "as identifiers, another whole number in every row"
        if len(labels) >= columns.LEAST_ROWS and _tells(codes, labels, column, dataset.target):
            yield (f"column {name!r} tells the target {dataset.target_name!r} without error: is it "
                   "a copy of it, or known only afterwards?")
        elif not numeric and columns.as_times(column.cat.categories.to_series()) is not None:
            yield f"column {name!r} holds dates, taken for categories: make numbers of them."
        elif unused:
            yield f"column {name!r} is of no use, {unused}."


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
