"""The paper's own tables, to be compared with and never substituted."""

import pandas as pd

from collection.naming import UnknownNameError
from collection.paths import PRINTED

FOLDER = PRINTED


def published_table(name: str) -> pd.DataFrame:
    """Return one of the paper's tables as tidy data.

    Parameters
    ----------
    name : str
        Name of a file in ``book/published``, without its ending.

    Returns
    -------
    pandas.DataFrame
        Columns as ``book/published/README.md`` explains; ``value`` as a number.

    Raises
    ------
    UnknownNameError
        If there is no such table.
    """
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        raise UnknownNameError("published table", name, [p.stem for p in FOLDER.glob("*.csv")])
    return pd.read_csv(path)
