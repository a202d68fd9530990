"""Datasets of the Penn Machine Learning Benchmarks, in the cache of the package ``pmlb``.

The authors of PMLBmini shuffled PMLB's rows. Which rows a fold has depends on their order, so
theirs is restored for the 44 datasets of the suite: ``data/small/row_order.csv`` lists positions in
the table sorted by value, and holds nothing of the data.
"""

import os
import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import pandas as pd

from collection.datasets.dataset import Dataset, DatasetError, make_dataset, sorted_rows
from collection.datasets.files import EXACT
from collection.project.naming import UnknownNameError, check_known
from collection.project.paths import DATA, cache_dir, shipped, written_whole

ORDER = DATA / "small" / "row_order.csv"
TARGET = "target"
LICENCE = "MIT (pmlb)"
VARIABLE = "PMLB_CACHE"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


def pmlb_folder() -> Path:
    """Return the folder of PMLB's files: ``$PMLB_CACHE``, else ``pmlb`` in the cache."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else cache_dir() / "pmlb"


def names() -> list[str]:
    """Return the datasets whose files are in the cache."""
    return sorted(path.parent.name for path in pmlb_folder().glob("*/*.tsv.gz")
                  if path == _file(path.parent.name))


def load(name: str) -> Dataset:
    """Load a dataset by PMLB's name, from the cache or, where it is not there, by the package.

    All features are numbers; what is missing is coded by PMLB as some number and stays. Rows come
    in PMLBmini's order where the dataset is one of its 44, else in the file's.

    Raises
    ------
    UnknownNameError
        PMLB has no such dataset; close names are listed.
    DatasetError
        The file is damaged, or is not in the cache and cannot be fetched.
    """
    source = f"pmlb:{name}"
    if not NAME.fullmatch(name):
        raise UnknownNameError("PMLB dataset", name, names())
    if not _file(name).is_file():
        _fetch(name, source)
    try:
        frame = pd.read_csv(_file(name), sep="\t", dtype={TARGET: str}, **EXACT)
    except (OSError, EOFError, ValueError) as error:
        raise DatasetError(f"{source}: {_file(name)} is damaged ({error}). Delete it and try "
                           "again.") from error
    if TARGET not in frame:
        raise DatasetError(f"{source}: {_file(name)} has no column {TARGET!r}. Delete it and try "
                           "again.")
    if (order := row_orders().get(name)) is not None and len(order) == len(frame):
        frame = frame.iloc[sorted_rows(frame, TARGET)[order]].reset_index(drop=True)
    continuous = frame[TARGET].str.contains(".", regex=False).any()
    return make_dataset(frame, TARGET, name=name, source=source, licence=LICENCE,
                        regression=bool(continuous))


@lru_cache(maxsize=1)
def row_orders() -> dict[str, list[int]]:
    """Return the shipped orders: of each row, its position in the table sorted by value."""
    if not ORDER.exists():
        return {}
    table = pd.read_csv(shipped(ORDER))
    return {row.dataset: [int(k) for k in row.order.split()] for row in table.itertuples()}


def _file(name: str) -> Path:
    return pmlb_folder() / name / f"{name}.tsv.gz"


def _fetch(name: str, source: str) -> None:
    """Let the package ``pmlb`` fetch a dataset; its file comes into the cache whole."""
    from collection.project.requirements import MissingLibraryError, library

    try:
        pmlb = library("pmlb")
    except MissingLibraryError as error:
        raise DatasetError(f"{source} is not in {pmlb_folder()}, and the package that fetches it "
                           f"is absent. {error}") from error
    check_known("PMLB dataset", [name], pmlb.dataset_names)
    with tempfile.TemporaryDirectory() as stage:
        try:
            pmlb.fetch_data(name, local_cache_dir=stage, dropna=False)
        except (OSError, ValueError) as error:
            raise DatasetError(
                f"{source} cannot be fetched ({error}). Where there is no network, put the file "
                f"at {_file(name)}, or name the folder in the environment variable {VARIABLE}."
            ) from error
        _file(name).parent.mkdir(parents=True, exist_ok=True)
        with written_whole(_file(name)) as part:
            shutil.copy(Path(stage) / name / _file(name).name, part)
