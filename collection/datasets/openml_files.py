"""Read the files that OpenML keeps of a dataset: description, features, qualities, ARFF or Parquet.

In the layout in which the ``openml`` package caches them, but without its pickles.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import arff
import numpy as np
import pandas as pd

from collection.datasets.dataset import DatasetError
from collection.project.requirements import errors_of

DESCRIPTION, FEATURES, QUALITIES = "description.xml", "features.xml", "qualities.xml"
ARFF, PARQUET = "dataset.arff", "dataset_{}.pq"
OML = "{http://openml.org/openml}"


class DamagedFilesError(DatasetError):
    """Files that are incomplete or contradict each other; fetching them again may help."""


@dataclass(frozen=True)
class DataFiles:
    """What the files of one dataset say.

    Attributes
    ----------
    name, licence, default_target : str
        As described; empty where the description has none.
    left_out : tuple of str
        Columns that identify rows or are to be ignored.
    kinds : dict of column name to str
        ``numeric``, ``nominal``, ``string`` or ``date``, in the order of columns.
    frame : pandas.DataFrame
        All columns; missing is NaN or None.
    """

    name: str
    licence: str
    default_target: str
    left_out: tuple[str, ...]
    kinds: dict[str, str]
    frame: pd.DataFrame


def is_complete(folder: Path, openml_id: int) -> bool:
    """Tell whether `folder` holds all that `read_files` needs."""
    data = (ARFF, PARQUET.format(openml_id))
    return all((folder / f).is_file() for f in (DESCRIPTION, FEATURES)) and any(
        (folder / f).is_file() for f in data)


def read_files(folder: Path, openml_id: int) -> DataFiles:
    """Read and check the dataset in `folder`.

    An ARFF file is checked against the checksum in the description. Where that is missing, and
    for Parquet, the number of rows is checked against the qualities.

    Raises
    ------
    DamagedFilesError
        A file cannot be parsed, the checksum differs, or rows or columns are missing.
    """
    try:
        description = _parse(folder / DESCRIPTION)
        kinds = {_text(f, "name"): _text(f, "data_type")
                 for f in _parse(folder / FEATURES).iter(f"{OML}feature")}
        parquet = folder / PARQUET.format(openml_id)
        frame = pd.read_parquet(parquet) if parquet.is_file() else _read_arff(
            folder / ARFF, description)
    except (ElementTree.ParseError, arff.ArffException, ValueError,
            *errors_of("pyarrow", "ArrowException")) as error:
        raise DamagedFilesError(f"openml:{openml_id}: the data cannot be read; a file was cut "
                                f"short or is not what its name says ({error}).") from error
    frame = _name_columns(frame, list(kinds), openml_id)
    if parquet.is_file() or not _text(description, "md5_checksum"):
        _check_rows(frame, folder / QUALITIES, openml_id)
    left_out = [*_listed(description, "row_id_attribute", kinds),
                *_listed(description, "ignore_attribute", kinds)]
    return DataFiles(_text(description, "name"), _text(description, "licence"),
                     _text(description, "default_target_attribute"), tuple(left_out), kinds, frame)


def _parse(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()


def _text(element: ElementTree.Element, tag: str) -> str:
    return (element.findtext(f"{OML}{tag}") or "").strip()


def _listed(description: ElementTree.Element, tag: str, columns: Iterable[str]) -> list[str]:
    """Return the columns named under `tag`: one element each, or one with commas."""
    named = [e.text or "" for e in description.findall(f"{OML}{tag}")]
    split = [part.strip() for n in named for part in ([n] if n in columns else n.split(","))]
    return [c for c in split if c in columns]


def _read_arff(path: Path, description: ElementTree.Element) -> pd.DataFrame:
    content, md5 = path.read_bytes(), _text(description, "md5_checksum")
    if md5 and hashlib.md5(content, usedforsecurity=False).hexdigest() != md5:
        raise ValueError("its checksum is not the one that OpenML states")
    text = content.decode("utf-8")
    if _text(description, "format").lower() == "sparse_arff":
        return _dense(arff.loads(text, encode_nominal=True, return_type=arff.LOD))
    table = arff.loads(text)
    return pd.DataFrame(table["data"], columns=[name for name, _ in table["attributes"]])


def _dense(table: dict) -> pd.DataFrame:
    """Fill in what sparse ARFF leaves out: 0, or the first of a nominal attribute's values."""
    rows: list[dict[int, float | None]] = table["data"]
    i = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    j = np.fromiter(chain.from_iterable(rows), dtype=int)
    cells = np.zeros((len(rows), len(table["attributes"])))
    cells[i, j] = np.array([v for row in rows for v in row.values()], dtype=np.float64)
    named = {}
    for (name, kind), column in zip(table["attributes"], cells.T, strict=True):
        nominal = isinstance(kind, list)
        named[name] = pd.Categorical.from_codes(
            np.nan_to_num(column, nan=-1).astype(int), kind) if nominal else column
    return pd.DataFrame(named)


def _name_columns(frame: pd.DataFrame, names: list[str], openml_id: int) -> pd.DataFrame:
    """Give columns the names that OpenML lists, which follow the file's order."""
    if set(names) == set(frame.columns):
        return frame[names]
    if len(names) != frame.shape[1]:
        raise DamagedFilesError(f"openml:{openml_id}: the data have {frame.shape[1]} columns where "
                                f"OpenML lists {len(names)}.")
    return frame.set_axis(names, axis="columns")


def _check_rows(frame: pd.DataFrame, qualities: Path, openml_id: int) -> None:
    if not qualities.is_file():
        return
    stated = {_text(q, "name"): _text(q, "value") for q in _parse(qualities).iter(f"{OML}quality")}
    expected = stated.get("NumberOfInstances")
    if expected and float(expected) != len(frame):
        raise DamagedFilesError(f"openml:{openml_id}: the data have {len(frame)} rows where OpenML "
                                f"counts {float(expected):.0f}; a file was cut short.")
