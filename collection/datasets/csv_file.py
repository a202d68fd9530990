"""Datasets from a user's own text files: ``csv:PATH?target=COLUMN``.

``?regress=COLUMN`` instead, where the column's numbers are to be predicted.
"""

import os
import re
import warnings
from pathlib import Path, PurePosixPath

import pandas as pd

from collection.datasets import files, tables
from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.project.naming import UnknownNameError

SEPARATOR, REGRESS = "?target=", "?regress="
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
    frame = _read(path, source, target)
    if target not in frame:
        raise UnknownNameError(f"column of {path}", target, frame.columns)
    file = Path(path).name
    dataset = make_dataset(frame, target, name=file.lstrip(".").split(".")[0] or file,
                           source=source, regression=regression)
    if not regression and tables.looks_continuous(dataset.target):
        raise DatasetError(
            f"{source}: the target {target!r} holds {len(dataset.classes)} different numbers in "
            f"{dataset.n_rows} rows: a regression problem. To predict the numbers: "
            f"csv:{path}{REGRESS}{target}.")
    for message in tables.suspicious_columns(dataset):
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


def _read(path: str, source: str, target: str) -> pd.DataFrame:
    """Read the file, and see that its header names every column.

    Where the rows have one value more than the header, pandas takes the first for an index and
    shifts the names: right for what R writes with its row names, and wrong for anything else.
    """
    if Path(path).suffix.lower() in (*files.EXCEL, *files.PARQUET) and Path(path).is_file():
        return _read_other(path, source, target)
    form = tables.find_separators(path, target)
    try:
        frame = tables.read_table(path, source, target, **form)
    except DatasetError as error:
        if not isinstance(error.__cause__, UnicodeDecodeError):
            raise
        return _read_other(path, source, target)
    # An index of 0, 1, … may have been read, too: pandas 3.1 makes a range of it.
    if isinstance(frame.index, pd.RangeIndex) and (frame.empty or frame.shape[1] >= len(
            pd.read_csv(path, header=None, skiprows=1, nrows=1, **form).columns)):
        return frame
    if frame.iloc[:, -1].isna().all():  # every row ends with a separator
        return tables.read_table(path, source, target, index_col=False, **form)
    if not _are_row_names(frame.index):
        raise DatasetError(
            f"{source}: the header of {path} names {frame.shape[1]} columns, and its rows have "
            f"{frame.shape[1] + frame.index.nlevels} values. Name them all: as it is, nobody can "
            "tell which name is of which.")
    warnings.warn(f"{source}: rows have one value more than the header of {path} has names. The "
                  "first is taken for the row names that R writes, and left out.", stacklevel=3)
    return frame.reset_index(drop=True)


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
    head = tables.read_table(path, f"csv:{path}", "", nrows=0, **tables.find_separators(path, ""))
    return f" Its columns: {', '.join(map(repr, head.columns))}."
