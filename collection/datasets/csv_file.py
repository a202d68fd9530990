"""Datasets from a user's own comma-separated files: ``csv:PATH?target=COLUMN``."""

from pathlib import Path

from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.datasets.tables import read_table
from collection.naming import UnknownNameError

SEPARATOR = "?target="


def load(name: str) -> Dataset:
    """Load the file at PATH, whose first line names the columns.

    A column that holds only numbers is numeric, any other categorical; what pandas takes for
    missing (an empty field, NA, NaN, null, …) and ``?`` are missing. The dataset is named after
    the file.

    Parameters
    ----------
    name : str
        ``PATH?target=COLUMN``; everything after ``?target=`` is the column's name as it stands.

    Raises
    ------
    DatasetError
        No target is named, or the file cannot be read.
    UnknownNameError
        The file has no such column.
    """
    path, asked, target = name.rpartition(SEPARATOR)
    source = f"csv:{name}"
    if not asked or not target:
        raise DatasetError(f"{source} does not name the column that holds the class labels. "
                           f"Write csv:PATH{SEPARATOR}COLUMN.{_columns(path or name)}")
    frame = read_table(path, source, target)
    if target not in frame:
        raise UnknownNameError(f"column of {path}", target, frame.columns)
    return make_dataset(frame, target, name=Path(path).name.split(".")[0], source=source)


def _columns(path: str) -> str:
    """Name the columns of the file, if there is one."""
    if not Path(path).is_file():
        return ""
    head = read_table(path, f"csv:{path}", "", nrows=0)
    return f" Its columns: {', '.join(map(repr, head.columns))}."
