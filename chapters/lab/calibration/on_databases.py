"""What the calibrated procedures say of real databases: calls, sizes, transitions."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.files import NOT_COUNTED
from analysis.shapes import PROCEDURES as SHAPE_PROCEDURES
from analysis.shapes import detect_shapes
from analysis.shapes.detect import PLACES, VERDICT_OF
from analysis.statistics.bootstrap import mean_interval, share_interval
from chapters.lab.calibration.count import POOL_FILES, TRUE_BINS, VERDICTS
from chapters.lab.chapter_data import (
    main_curves,
    main_scaling,
    tried_curves,
    validation_errors,
)
from chapters.lab.shapes.causes import dataset_facts, likely_causes
from chapters.lab.shapes.noise import fit_noise
from chapters.lab.shapes.shrunken import cross_fitted_sizes
from chapters.lab.shapes.transitions import detect_transitions

DATABASES = ("lcdb10", "mini")
LEAST_CURVES = 10  # behind the noise of a learner
#: Who is asked of a database: of LCDB 1.0 all, of mini those that are compared over databases.
ASKED = {"lcdb10": tuple(name for name in SHAPE_PROCEDURES if "published" not in name),
         "mini": ("corrected", "holm", "shared", "nadeau_bengio", "max_t", "max_t_wide")}
CLEAR_POWER = 0.8  # a violation could have been seen where it is in so many cases


def opened(database: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Return validation errors of the learners that are counted, and which curves were tried."""
    valid = validation_errors(database).load()
    valid = valid.sel(learner=~valid["learner"].isin(NOT_COUNTED), scaling=[main_scaling(valid)])
    return valid, tried_curves(main_curves(database), valid)


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
            counted = 100 * shapes[verdict].where(tried).to_series().dropna().astype(float)
            ends = share_interval(counted, counted.index.get_level_values("dataset"))
            rows.append((database, procedure, verdict, counted.mean(), *ends))
    return pd.DataFrame(rows, columns=["database", "procedure", "verdict", "rate", "low", "high"])


def detection(pool: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the pool's curves called, by true size class and rows.

    Returns
    -------
    pandas.DataFrame
        ``procedure, verdict, rows, size`` (lower end of the class), ``curves, found`` (percent).
    """
    keys = ["procedure", "verdict", "rows", "true"]
    table = pool.assign(called=pool["curves"].where(pool["seen"] > 0, 0)).groupby(
        keys, sort=False)[["curves", "called"]].sum().reset_index()
    table["size"] = np.maximum(0, np.array(TRUE_BINS)[table["true"]])
    table["found"] = 100 * table["called"] / table["curves"].where(table["curves"] > 0)
    return table[["procedure", "verdict", "rows", "size", "curves", "found"]]


def _largest_anchor(errors: xr.DataArray) -> np.ndarray:
    """Return the largest anchor with any value, per dataset; 0 where there is none."""
    other = [d for d in errors.dims if d not in ("dataset", "anchor")]
    there = errors.notnull().any(other).transpose("dataset", "anchor").values
    return np.where(there, errors["anchor"].values, 0).max(axis=1)


def nearest_rows(largest: np.ndarray, classes: tuple[int, ...]) -> np.ndarray:
    """Return the number of rows, of those simulated, whose training sets are closest by ratio."""
    simulated = np.log(0.81 * np.array(classes))
    distance = np.abs(np.log(np.maximum(largest, 1))[:, None] - simulated)
    return np.array(classes)[distance.argmin(axis=1)]


def where_seeable(valid: xr.DataArray, tried: xr.DataArray, database: str, procedure: str,
                  pool: pd.DataFrame) -> pd.DataFrame:
    """Return the share called among the curves on which violations of a size are mostly found.

    Returns
    -------
    pandas.DataFrame
        ``database, procedure, min_violation``: a class of true sizes begins here; ``datasets,
        curves``: on which the ill-behaved of that class are found in at least 80 %; ``rate, low,
        high``: percent of them that are called, with an interval from resampling datasets.
    """
    found = detection(pool[pool["procedure"] == procedure]).query("verdict == 'ill_behaved'")
    classes = tuple(sorted(pool["rows"].unique()))
    rows = pd.Series(nearest_rows(_largest_anchor(valid), classes), index=valid["dataset"].values)
    called = detect_shapes(valid, procedure)["ill_behaved"]
    called = 100 * called.where(tried).to_series().dropna().astype(float)
    dataset, parts = called.index.get_level_values("dataset"), []
    for size, group in found[found["size"] > 0.002].groupby("size"):
        clear = group.loc[group["found"] >= 100 * CLEAR_POWER, "rows"]
        mine = dataset.map(rows).isin(clear)
        low, high = mean_interval(called[mine], dataset[mine]) if mine.any() else (np.nan, np.nan)
        parts.append((database, procedure, size, dataset[mine].nunique(), int(mine.sum()),
                      called[mine].mean(), low, high))
    return pd.DataFrame(parts, columns=["database", "procedure", "min_violation", "datasets",
                                        "curves", "rate", "low", "high"])


def shrunken_sizes(valid: xr.DataArray, database: str, procedure: str) -> pd.DataFrame:
    """Return how large violations look, and how large they are when measured anew.

    Returns
    -------
    pandas.DataFrame
        ``database, procedure, verdict, curves`` (called), ``reported`` and ``measured_anew``:
        medians, in error rate; ``below_half``: percent of them that shrink to less than half.
    """
    shapes, sizes, rows = detect_shapes(valid, procedure), cross_fitted_sizes(valid), []
    for kind in PLACES:
        verdict = VERDICT_OF[kind]
        called = shapes[verdict].values & sizes[f"size_{kind}"].notnull().values
        reported = shapes[f"violation_{kind}"].values[called]
        anew = sizes[f"size_{kind}"].values[called]
        rows.append((database, procedure, verdict, int(called.sum()), np.median(reported),
                     np.median(anew), 100 * (anew < reported / 2).mean()))
    return pd.DataFrame(rows, columns=["database", "procedure", "verdict", "curves", "reported",
                                       "measured_anew", "below_half"])


def transitions(valid: xr.DataArray, database: str, procedure: str) -> pd.DataFrame:
    """Return the phase transitions found, each with its likely cause.

    Returns
    -------
    pandas.DataFrame
        ``database, procedure, dataset, learner``, anchors ``h, i, j`` in rows, ``size`` (the drop,
        in error rate) and ``cause``.
    """
    valid = valid.isel(scaling=0, drop=True)
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


def kept_tables(pools: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return every table about real databases, by the name under which it is kept.

    Parameters
    ----------
    pools : dict
        From `count_pool`, by the names in `POOL_FILES`.
    """
    parts: dict[str, list[pd.DataFrame]] = {}
    for database, pool in zip(DATABASES, [pools[name] for name in POOL_FILES], strict=True):
        valid, tried = opened(database)
        tables = {"calls": calls(valid, tried, database, ASKED[database]),
                  "seeable": where_seeable(valid, tried, database, "max_t", pool),
                  "sizes": shrunken_sizes(valid, database, "max_t"),
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
    errors = validation_errors(database).sel(scaling="none").load()
    names = [name for name in errors["learner"].values if name not in NOT_COUNTED]
    table = fit_noise(errors.sel(learner=learners or names))
    table.insert(0, "database", database)
    return table[table["curves"] >= LEAST_CURVES]
