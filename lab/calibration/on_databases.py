"""What the calibrated procedures say of real databases: calls, transitions."""

import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes import PROCEDURES as SHAPE_PROCEDURES
from analysis.shapes import detect_shapes, share_of
from analysis.shapes.transitions import detect_transitions
from lab.calibration.count import VERDICTS
from lab.shapes.causes import dataset_facts, likely_causes
from lab.shapes.noise import fit_noise

DATABASES = ("lcdb10", "mini")
LEAST_CURVES = 10  # behind the noise of a learner
#: Who is asked of a database: of LCDB 1.0 all, of mini those that are compared over databases.
ASKED = {"lcdb10": tuple(name for name in SHAPE_PROCEDURES if "published" not in name),
         "mini": ("corrected", "holm", "shared", "nadeau_bengio", "max_t", "max_t_wide")}


def calls(valid: xr.DataArray, tried: xr.DataArray, database: str,
          procedures: tuple[str, ...]) -> pd.DataFrame:
    """Return the share of curves that each procedure calls.

    Returns
    -------
    pandas.DataFrame
        ``database, procedure, verdict, rate, low, high``: percent of the curves tried, missing ones
        included; 95 % interval from resampling datasets, near-duplicates as one.
    """
    rows = []
    for procedure in procedures:
        shapes = detect_shapes(valid, procedure)
        for verdict in VERDICTS:
            share = share_of(shapes[verdict], tried)
            rows.append((database, procedure, verdict, share.value, share.low, share.high))
    return pd.DataFrame(rows, columns=["database", "procedure", "verdict", "rate", "low", "high"])


def transitions(valid: xr.DataArray, database: str, procedure: str) -> pd.DataFrame:
    """Return the phase transitions found, each with its likely cause.

    Returns
    -------
    pandas.DataFrame
        ``database, procedure, dataset, learner``, anchors ``h, i, j`` in rows, ``size`` (the drop,
        in error rate) and ``cause``.
    """
    found = detect_transitions(valid, procedure)
    found = found.drop_vars([c for c in found.coords if c not in found.dims])
    table = found.to_dataframe().reset_index().query("phase_transition")
    table = table.rename(columns={f"transition_{k}": k for k in "hij"}
                         | {"transition_drop": "size"})
    table["cause"] = likely_causes(table, valid, _facts(valid))
    table = table.assign(database=database, procedure=procedure)
    return table[["database", "procedure", "dataset", "learner", "h", "i", "j", "size", "cause"]]


def _facts(valid: xr.DataArray) -> pd.DataFrame:
    """Return the facts by the labels of `valid`; those of unknown datasets are absent."""
    facts = dataset_facts()
    if "openml_id" not in valid.coords:
        return facts
    ids = pd.Series(valid["openml_id"].values, index=valid["dataset"].values).dropna().astype(int)
    known = facts.reindex(ids[ids.isin(facts.index)])
    return known.set_index(ids.index[ids.isin(facts.index)])


def kept_tables() -> dict[str, pd.DataFrame]:
    """Return every table about real databases, by the name under which it is kept."""
    parts: dict[str, list[pd.DataFrame]] = {}
    for database in DATABASES:
        valid, tried = counted_curves(database, "none")
        tables = {"calls": calls(valid, tried, database, ASKED[database]),
                  "transitions": transitions(valid, database, "max_t")}
        for name, table in tables.items():
            parts.setdefault(f"calibration_{name}", []).append(table)
    return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def fitted_noise(database: str, learners: list[str] | None = None) -> pd.DataFrame:
    """Fit the noise of a database's learners, without scaling.

    Parameters
    ----------
    database : str
        Name or path.
    learners : list of str, optional
        Only these; by default all that Table 4 counts.

    Returns
    -------
    pandas.DataFrame
        As `fit_noise`, with a column ``database``; learners with fewer than ten curves are absent.
    """
    table = fit_noise(counted_curves(database, "none", learners or ())[0])
    table.insert(0, "database", database)
    return table[table["curves"] >= LEAST_CURVES]
