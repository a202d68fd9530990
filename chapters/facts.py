"""A chapter's numbers in one tidy table, glued into its sentences by their keys.

A chapter's module has a function ``facts`` that returns the table; `show_facts` glues it, in one
call at the top of the chapter, and writes ``results/<chapter>/facts.csv``. Sentences stay in the
chapter and cite keys.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from myst_nb import glue

from analysis.drawing.tables import with_minus, write_result
from analysis.statistics.summary import Summary, as_number, with_interval

NO_INTERVAL = "no interval"  # of one or two families of datasets, say
COLUMNS = ("key", "value", "low", "high", "unit", "digits", "n", "note")


class Facts:
    """Collects rows of the table, in the order of the chapter."""

    def __init__(self) -> None:
        self._rows: dict[str, dict] = {}

    def add(self, key: str, value: float | str | Summary, low: float = np.nan,
            high: float = np.nan, *, unit: str = "", digits: int = 0, n: int | None = None,
            note: str = "") -> None:
        """Add a fact.

        Parameters
        ----------
        key : str
            By which sentences cite it.
        value : float, str or Summary
            A number, a name or a few words; a `Summary` brings its interval and its n.
        low, high : float
            The ends of its 95 % interval, if it has one.
        unit : str
            Written behind the number: "%", "points", "rows".
        digits : int
            Decimals that are shown; the table keeps all.
        n : int, optional
            Units behind the number: families of datasets, curves.
        note : str
            What is counted, in a few words, where the key does not say it.

        Raises
        ------
        ValueError
            If the key is there already.
        """
        if key in self._rows:
            raise ValueError(f"The fact {key!r} is there already.")
        if isinstance(value, Summary):
            value, low, high, n = value.value, value.low, value.high, value.n if n is None else n
        self._rows[key] = dict(zip(COLUMNS, (key, value, low, high, unit, digits, n, note),
                                   strict=True))

    def row(self, key: str, row: Mapping[str, object], value: str, low: str = "low",
            high: str = "high", n: str = "", scale: float = 1, **settings) -> None:
        """Add the estimate in a table's row.

        Parameters
        ----------
        key : str
            By which sentences cite it.
        row : mapping, such as a Series
            Column → number.
        value, low, high, n : str
            Columns: the estimate, the ends of its interval, and the units behind it, if there is
            such a column.
        scale : float
            What the numbers are multiplied by: 100 for shares in percent.
        **settings
            As for `add`.
        """
        self.add(key, *(scale * row[column] for column in (value, low, high)),
                 n=int(row[n]) if n else None, **settings)

    def update(self, facts: Mapping[str, object], **settings) -> None:
        """Add several facts that have the same settings: key → value."""
        for key, value in facts.items():
            self.add(key, value, **settings)

    def table(self) -> pd.DataFrame:
        """Return the facts: columns key, value, low, high, unit, digits, n, note."""
        return pd.DataFrame(list(self._rows.values()), columns=list(COLUMNS))


def read_facts(file: Path) -> pd.DataFrame:
    """Return a chapter's facts as it has written them, as `Facts.table`."""
    return as_facts(pd.read_csv(file, dtype={"value": str, "unit": str}, keep_default_na=False,
                                na_values={c: [""] for c in ("value", "low", "high", "digits",
                                                             "n")}))


def as_facts(table: pd.DataFrame) -> pd.DataFrame:
    """Return facts that were read as text: numbers as numbers, words as they are."""
    numbers = pd.to_numeric(table["value"], errors="coerce")
    return table.assign(value=numbers.astype(object).where(numbers.notna(), table["value"]),
                        unit=table["unit"].fillna(""), digits=table["digits"].fillna(0).astype(int))


def as_texts(facts: pd.DataFrame) -> dict[str, str]:
    """Return what sentences may cite, by key.

    Parameters
    ----------
    facts : pandas.DataFrame
        From `Facts.table`.

    Returns
    -------
    dict
        For each key its value with its unit; of a number also ``key.ci``, the value with its
        interval, and ``key.range``, the interval alone. Both say so where there is no interval.
    """
    texts = {}
    for row in facts.itertuples(index=False):
        if isinstance(row.value, str):
            texts[row.key] = row.value
            continue
        texts[row.key] = as_number(row.value, row.digits, row.unit)
        none = pd.isna(row.low) or pd.isna(row.high)
        texts[f"{row.key}.ci"] = (f"{texts[row.key]} ({NO_INTERVAL})" if none else with_interval(
            row.value, row.low, row.high, row.digits, row.unit))
        texts[f"{row.key}.range"] = NO_INTERVAL if none else (
            f"{as_number(row.low, row.digits)} to {as_number(row.high, row.digits, row.unit)}")
    return {key: with_minus(text) for key, text in texts.items()}


def show_facts(chapter: str, facts: pd.DataFrame) -> None:
    """Glue a chapter's facts and write them to ``results/<chapter>/facts.csv``.

    Parameters
    ----------
    chapter : str
        Its name, that of its folder of results.
    facts : pandas.DataFrame
        From `Facts.table`.

    Raises
    ------
    ValueError
        If a column is missing or a key stands there twice.
    """
    lacking = [c for c in COLUMNS if c not in facts]
    if lacking or facts["key"].duplicated().any():
        twice = facts.loc[facts["key"].duplicated(), "key"].tolist() if not lacking else []
        raise ValueError(f"Facts of {chapter}: columns missing {lacking}, keys twice {twice}.")
    write_result(facts, chapter, "facts")
    for key, text in as_texts(facts).items():
        glue(key, text, display=False)
