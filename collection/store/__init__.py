"""Where collected curves lie: one SQLite file in the folder of a collection, or one per dataset.

SQLite, because a transaction survives a process killed at any moment, and because any language can
read the tables. The tables are described in `collection.store.curves`, stores of many files in
`collection.store.shards`; the functions here read a store of either kind.
"""

import sqlite3
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers.curves import FIT_DIMS
from collection.project.locks import LockedStoreError
from collection.store import connection, reader, shards
from collection.store.base import ChangedSettingsError
from collection.store.connection import NoStoreError, StoreFormat, UnreadableStoreError, read_store
from collection.store.curves import COLUMNS, CURVES, StoreWriter, from_archive
from collection.store.shards import SHARDS, form_of, open_shards, shard_folder, shard_folders

__all__ = ["ChangedSettingsError", "LockedStoreError", "NoStoreError", "StoreWriter",
           "UnreadableStoreError", "open_store", "read_curve_predictions", "read_curves",
           "read_datasets", "read_fits", "read_keys", "read_settings", "summarise_fits"]


def open_store(path: str | Path) -> xr.Dataset:
    """Open the curves that were collected into a folder, as the common container.

    Parameters
    ----------
    path : str or Path
        The collection's OUT folder, or the ``curves.sqlite`` in it. It may still be written to.

    Returns
    -------
    xarray.Dataset
        Dims `collection.containers.curves.DIMS`: ``dataset`` by name in the order they were
        added, ``learner`` in the order of Table 3 and then others by name, ``anchor`` the union
        of the anchors fitted, metrics those of the datasets' kinds. Along ``dataset`` also
        ``name`` (without the folder that the dataset has in its source), ``openml_id`` (NaN where
        OpenML does not have the data), ``source``, ``licence``, ``rows``, ``features``,
        ``classes`` (0 where numbers are to be predicted) and ``train_size`` (rows of the whole
        training set). Metrics are NaN where a fit gave no value; ``status`` and ``message`` say
        why, ``not_run`` where there is no such fit.

    Raises
    ------
    NoStoreError
        Where there is no store, or not one finished curve in it.
    UnreadableStoreError
        Where its file is damaged or of a later version; so raise all readers here.
    """
    if form_of(path) is not SHARDS:
        return reader.open_store(path)
    folders = shard_folders(path)
    with read_store(path, SHARDS) as db:
        datasets = reader.datasets_of(db)
        settings = dict(db.execute("SELECT name, value FROM settings"))
    return open_shards(folders, datasets, settings, path)


def read_fits(path: str | Path) -> pd.DataFrame:
    """Return one row per fit: what it is of, its status and message, a column per metric and split.

    Columns ``dataset, learner, scaling, leakage, outer, inner, anchor, status, message`` and
    those of `collection.store.curves.COLUMNS` for what the datasets have (classes, numbers to
    predict), NaN where there is no value; sorted by the first seven. Raises `NoStoreError` where
    there is no store.
    """
    table = _joined(reader.fits_of, path)
    columns = [*FIT_DIMS, "status", "message", *(c for c in COLUMNS if c in table)]
    return table[columns].sort_values(list(FIT_DIMS), ignore_index=True)


def read_curves(path: str | Path) -> pd.DataFrame:
    """Return one row per finished curve: what it is of, ``seconds``, ``worker``, ``finished``.

    The first six columns are ``dataset, learner, scaling, leakage, outer, inner``. Raises
    `NoStoreError` where there is no store.
    """
    return _joined(reader.curves_of, path).drop(columns=["id", "checksum"])


def read_keys(path: str | Path, form: StoreFormat = CURVES) -> set:
    """Return what the finished curves, or evaluations, are of."""
    if form is CURVES and form_of(path) is SHARDS:
        return shards.finished(shard_folders(path))
    with read_store(path, form) as db:
        return form.finished(db)


def read_datasets(path: str | Path) -> pd.DataFrame:
    """Return one row per dataset, with the columns of table ``datasets`` but its id.

    Raises `NoStoreError` where there is no store.
    """
    return _joined(reader.datasets_of, path)


def summarise_fits(path: str | Path) -> pd.DataFrame:
    """Count what became of the fits, by reason.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, learner, scaling, leakage, status, message`` (empty where there is
        nothing to say), ``fits``, ``curves``, ``from_anchor`` and ``to_anchor`` (rows). Raises
        `NoStoreError` where there is no store.
    """
    return _joined(reader.summary_of, path)


def read_curve_predictions(path: str | Path, names: Collection[str] | None = None,
                           **curve: str | int) -> dict[int, dict[str, np.ndarray]]:
    """Return what was predicted at every fit of a curve, as `running.curve.Fit.predictions` has it.

    What is true is in the dataset: ``collection.protocol.encoded.encode(dataset).labels``, at the
    rows that `collection.protocol.splits.split_rows` gives for the seeds.

    Parameters
    ----------
    path : str or Path
        As for `open_store`.
    names : collection of str, optional
        Of the arrays that are read, by default all.
    **curve
        ``dataset`` (name), ``learner``, ``scaling``, ``leakage``, ``outer``, ``inner``.

    Returns
    -------
    dict
        By anchor. Fits without predictions are left out: all of them where the collection stored
        none.
    """
    part = _part(path, **curve)
    wanted = dict(zip(CURVES.labels.split(", "), (curve[key] for key in reader.KEYS), strict=True))
    where = " AND ".join(f"{label} = ?" for label in wanted)
    with read_store(part, CURVES, whole=False) as db:
        rows = db.execute(f"SELECT p.curve, p.anchor, p.archive {CURVES.rows} JOIN predictions p "
                          f"ON p.curve = r.id WHERE {where} ORDER BY p.anchor",
                          tuple(wanted.values())).fetchall()
        for of_curve in {of_curve for of_curve, *_ in rows}:
            connection.check_rows(db, "predictions", of_curve)
        found = {at: from_archive(archive, names) for _, at, archive in rows}
    if not found:
        connection.see_whole(part, CURVES)
    return found


def read_settings(path: str | Path, form: StoreFormat | None = None) -> dict[str, object]:
    """Return what all of the store was made under, by default curves; `NoStoreError` without."""
    form = form or form_of(path)
    with read_store(path, form) as db:
        return form.settings(db)


def _part(path: str | Path, dataset: str, **_: object) -> str | Path:
    """Return where the curves of a dataset lie: its shard, or the one file."""
    sharded = form_of(path) is SHARDS and dataset in shard_folders(path)
    return shard_folder(path, dataset) if sharded else path


def _joined(read: Callable[[sqlite3.Connection], pd.DataFrame], path: str | Path) -> pd.DataFrame:
    """Return a table of the one file, or those of all shards below each other."""
    tables = []
    for part in shard_folders(path).values() if form_of(path) is SHARDS else [path]:
        with read_store(part, CURVES) as db:
            tables.append(read(db))
    if not tables:
        raise NoStoreError(f"{path} holds no dataset yet.")
    filled = [table for table in tables if len(table)] or tables
    return pd.concat(filled, ignore_index=True)
