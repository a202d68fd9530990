"""The paper's numbers as one tidy table, a row per number."""

import pandas as pd

from analysis.published.printed import FOLDER

KEYS = ["source", "database", "scaling", "learner", "property"]
COLUMNS = [*KEYS, "value", "unit", "qualifier"]
TABLES = tuple(f"table{n}" for n in range(2, 10))


def load_published() -> pd.DataFrame:
    """Return every published number that is not a property of one dataset (Table 10).

    Returns
    -------
    DataFrame
        All text: ``source`` (Table 4, Section 5.2, …), ``database`` (as the paper calls it),
        ``scaling``, ``learner``, ``property``, ``value`` (as printed), ``unit``, ``qualifier``
        (about, almost, more than, at most,
        fewer than, or empty).
    """
    parts = [as_printed(name).rename(columns={"table": "source"}) for name in TABLES]
    text = as_printed("text")
    named = text["section"].str.startswith("Table")
    parts.append(text.assign(source=text["section"].where(named, "Section " + text["section"])))
    parts += [as_printed(name) for name in ("figure7", "notebooks")]
    return pd.concat([p.reindex(columns=COLUMNS, fill_value="") for p in parts], ignore_index=True)


def as_printed(name: str) -> pd.DataFrame:
    """Return a file of ``book/published``, all text."""
    return pd.read_csv(FOLDER / f"{name}.csv", dtype=str, keep_default_na=False)
