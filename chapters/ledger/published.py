"""The paper's numbers as one tidy table, a row per number."""

from pathlib import Path

import pandas as pd

from analysis.published.printed import CC18, FOLDER, FULL, LCDB10

KEYS = ["source", "database", "scaling", "learner", "property"]
COLUMNS = [*KEYS, "value", "unit", "qualifier"]
TABLES = tuple(f"table{n}" for n in range(2, 10))

__all__ = ["CC18", "FULL", "LCDB10", "load_inconsistencies", "load_published"]


def load_published(folder: Path = FOLDER) -> pd.DataFrame:
    """Return every published number that is not a property of a dataset (Table 10).

    Parameters
    ----------
    folder : Path
        Where the CSV files are.

    Returns
    -------
    DataFrame
        All text: ``source`` (Table 4, Section 5.2, …), ``database`` (as the paper calls it),
        ``scaling``, ``learner``, ``property``, ``value`` (as printed), ``unit``, ``qualifier``
        (about, more than, at most, fewer than, or empty).
    """
    parts = [_read(folder, name).rename(columns={"table": "source"}) for name in TABLES]
    text = _read(folder, "text")
    parts.append(text.assign(source="Section " + text["section"]))
    parts += [_read(folder, name) for name in ("figure7", "notebooks")]
    return pd.concat([p.reindex(columns=COLUMNS, fill_value="") for p in parts],
                     ignore_index=True)


def load_inconsistencies(folder: Path = FOLDER) -> pd.DataFrame:
    """Return where numbers of the paper disagree with each other, values as printed.

    Returns
    -------
    DataFrame
        All text: ``one_place, one_value, other_place, other_value, note``.
    """
    return _read(folder, "inconsistencies")


def _read(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
