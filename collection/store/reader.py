"""Read a store: as the common container, as a tidy table, or a fit's predictions."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from collection.container import (
    DIMS,
    FIT_DIMS,
    LEAKAGES,
    METRICS,
    SCALINGS,
    SPLITS,
    Status,
    build_container,
)
from collection.learners.names import LEARNERS
from collection.store.predictions import unpack
from collection.store.schema import COLUMNS, FILE, metric_columns

KEYS = FIT_DIMS[:-1]  # what a curve is of


class NoStoreError(FileNotFoundError):
    """The folder holds no curves."""


def open_store(path: str | Path) -> xr.Dataset:
    """Open the curves that were collected into a folder, as the common container.

    Parameters
    ----------
    path : str or Path
        The collection's OUT folder, or the ``curves.sqlite`` in it. It may still be written to.

    Returns
    -------
    xarray.Dataset
        Dims `collection.container.DIMS`: ``dataset`` by name in the order they were
        added, ``learner`` in the order of Table 3 and then others by name, ``anchor`` the union
        of the anchors fitted. Along ``dataset`` also ``openml_id`` (NaN where OpenML does not
        have the data), ``source``, ``licence``, ``rows``, ``features``, ``classes`` and
        ``train_size`` (rows of the whole training set). Metrics are NaN where a fit gave no
        value; ``status`` and ``message`` say why, ``not_run`` where there is no such fit.

    Raises
    ------
    NoStoreError
        Where there is no store, or not one finished curve in it.
    """
    with _connect(path) as db:
        datasets = _datasets(db)
        learners = dict(db.execute("SELECT name, id FROM learners"))
        fits = _fit_records(db)
        messages = [text for (text,) in db.execute("SELECT text FROM messages ORDER BY id")]
        settings = dict(db.execute("SELECT name, value FROM settings"))
    if not len(fits):
        raise NoStoreError(f"{path} holds no finished curve yet.")
    names = [*(n for n in LEARNERS if n in learners), *sorted(learners.keys() - LEARNERS.keys())]
    coords = {"dataset": datasets["name"].to_numpy(object), "learner": np.array(names, object)}
    places = [_positions(datasets["id"], fits["dataset"]),
              _positions([learners[name] for name in names], fits["learner"])]
    for dim, order in zip(KEYS[2:], (SCALINGS, LEAKAGES, None, None), strict=True):
        coords[dim], place = _labels(fits[dim], order)
        places.append(place)
    coords["anchor"], place = np.unique(fits["anchor"], return_inverse=True)
    places.append(place)
    coords["split"] = list(SPLITS)
    container = build_container(coords, **_scatter(fits, tuple(places), coords), messages=messages,
                                database="collected", **{"settings": json.dumps(settings)})
    described = datasets.drop(columns=["id", "name", "fingerprint"])
    return container.assign_coords({c: ("dataset", described[c].to_numpy()) for c in described})


def read_fits(path: str | Path) -> pd.DataFrame:
    """Return one row per fit: what it is of, its status and message, a column per metric and split.

    Columns ``dataset, learner, scaling, leakage, outer, inner, anchor, status, message`` and
    those of `collection.store.schema.COLUMNS`, NaN where there is no value; sorted by the first
    seven. Raises `NoStoreError` where there is no store.
    """
    with _connect(path) as db:
        fits = pd.DataFrame(_fit_records(db))
        names = {table: dict(db.execute(f"SELECT id, name FROM {table}"))
                 for table in ("datasets", "learners")}
        messages = dict(db.execute("SELECT id, text FROM messages"))
    fits["dataset"] = fits["dataset"].map(names["datasets"])
    fits["learner"] = fits["learner"].map(names["learners"])
    fits["scaling"] = fits["scaling"].str.decode("utf-8")
    fits["leakage"] = fits["leakage"].str.decode("utf-8")
    fits["status"] = fits["status"].map({s.value: s.name for s in Status})
    fits["message"] = fits["message"].map(messages)
    return fits.sort_values(list(FIT_DIMS), ignore_index=True)


def read_curves(path: str | Path) -> pd.DataFrame:
    """Return one row per finished curve: what it is of, ``seconds``, ``worker``, ``finished``.

    The first six columns are ``dataset, learner, scaling, leakage, outer, inner``. Raises
    `NoStoreError` where there is no store.
    """
    with _connect(path) as db:
        return pd.read_sql(
            "SELECT d.name AS dataset, l.name AS learner, scaling, leakage, outer, inner, "
            "seconds, worker, finished FROM curves c JOIN datasets d ON d.id = c.dataset "
            "JOIN learners l ON l.id = c.learner", db)


def summarise_fits(path: str | Path) -> pd.DataFrame:
    """Count what became of the fits, by reason.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, learner, scaling, leakage, status, message`` (empty where there is
        nothing to say), ``fits``, ``curves``, ``from_anchor`` and ``to_anchor`` (rows). Raises
        `NoStoreError` where there is no store.
    """
    with _connect(path) as db:
        table = pd.read_sql(
            "SELECT d.name AS dataset, l.name AS learner, scaling, leakage, f.status, "
            "m.text AS message, count(*) AS fits, count(DISTINCT curve) AS curves, "
            "min(anchor) AS from_anchor, max(anchor) AS to_anchor "
            "FROM fits f JOIN curves c ON c.id = f.curve JOIN datasets d ON d.id = c.dataset "
            "JOIN learners l ON l.id = c.learner JOIN messages m ON m.id = f.message "
            "GROUP BY c.dataset, c.learner, scaling, leakage, f.status, f.message", db)
    return table.assign(status=table["status"].map({s.value: s.name for s in Status}))


def read_predictions(path: str | Path, anchor: int, **curve: str | int) -> dict[str, np.ndarray]:
    """Return what was predicted at one fit, as `collection.curve.Fit.predictions` describes.

    Parameters
    ----------
    path : str or Path
        As for `open_store`.
    anchor : int
        Training-set size.
    **curve
        ``dataset`` (name), ``learner``, ``scaling``, ``leakage``, ``outer``, ``inner``.

    Raises
    ------
    KeyError
        Where no predictions of that fit are stored.
    """
    where = " AND ".join(f"c.{key} = ?" for key in KEYS[2:])
    with _connect(path) as db:
        row = db.execute(
            "SELECT archive FROM predictions p JOIN curves c ON c.id = p.curve "
            "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner "
            f"WHERE p.anchor = ? AND d.name = ? AND l.name = ? AND {where}",
            (int(anchor), *(curve[key] for key in KEYS))).fetchone()
    if row is None:
        raise KeyError(f"{path} holds no predictions of {curve} at anchor {anchor}. They are "
                       "stored where the collection ran with PREDICTIONS=yes and the fit is ok.")
    return unpack(row[0])


def read_settings(path: str | Path) -> dict[str, object]:
    """Return what every curve of the store was collected under; `NoStoreError` where none is."""
    with _connect(path) as db:
        return {name: json.loads(value) for name, value in db.execute("SELECT * FROM settings")}


@contextmanager
def _connect(path: str | Path) -> Iterator[sqlite3.Connection]:
    file = Path(path)
    file = file / FILE if file.is_dir() or file.suffix != ".sqlite" else file
    if not file.is_file():
        raise NoStoreError(f"There is no {file}. Collect curves into that folder first: "
                           f'make collect DATASETS="…" OUT={path}')
    with closing(sqlite3.connect(file)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'predictions'").fetchone():
            raise NoStoreError(f"{file} holds no curves.")
        db.execute("BEGIN")  # one snapshot, even while curves are being added
        yield db


def _datasets(db: sqlite3.Connection) -> pd.DataFrame:
    """Return the datasets that have curves, in the order they came in."""
    table = pd.read_sql("SELECT * FROM datasets WHERE id IN (SELECT dataset FROM curves) "
                        "ORDER BY id", db)
    return table.assign(openml_id=table["openml_id"].astype(float))


def _fit_records(db: sqlite3.Connection) -> np.ndarray:
    """Return every fit as a record array: fields KEYS, anchor, status, message, COLUMNS."""
    dtype = [("dataset", "i4"), ("learner", "i4"), ("scaling", "S8"), ("leakage", "S3"),
             ("outer", "i4"), ("inner", "i4"), ("anchor", "i8"), ("status", "i1"),
             ("message", "i4"), *((column, "f8") for column in COLUMNS)]
    values = ", ".join(f"f.{column}" for column in COLUMNS)
    count = db.execute("SELECT count(*) FROM fits").fetchone()[0]
    rows = db.execute(
        f"SELECT dataset, learner, scaling, leakage, outer, inner, f.anchor, f.status, f.message, "
        f"{values} FROM fits f JOIN curves c ON c.id = f.curve")
    return np.fromiter(rows, dtype=dtype, count=count)  # a NULL becomes NaN


def _labels(values: np.ndarray, order: Sequence[str] | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct labels, in the vocabulary's order where it has one, and places."""
    labels, place = np.unique(values, return_inverse=True)
    if order is None:
        return labels, place
    texts = np.char.decode(labels, "utf-8").astype(object)
    ranked = sorted(range(len(texts)), key=lambda i: order.index(texts[i]))
    return texts[ranked], np.argsort(ranked)[place]


def _positions(ids: Sequence[int], values: np.ndarray) -> np.ndarray:
    """Return where each value stands in `ids`."""
    place = np.zeros(max(ids) + 1, int)
    place[np.asarray(ids)] = np.arange(len(ids))
    return place[values]


def _scatter(fits: np.ndarray, places: tuple[np.ndarray, ...], coords: dict) -> dict:
    """Put each fit's values at its place in dense arrays over the container's dims."""
    shape = tuple(len(coords[dim]) for dim in FIT_DIMS)
    flat = np.ravel_multi_index(places, shape)

    def spread(values: np.ndarray, fill: float, dtype: type) -> np.ndarray:
        array = np.full(int(np.prod(shape)), fill, dtype)
        array[flat] = values
        return array.reshape(shape)

    variables = {}
    for name, metric in METRICS.items():
        arrays = [spread(fits[c], np.nan, float) for c in metric_columns(name)]
        variables[name] = np.stack(arrays, axis=-1) if metric.dims == DIMS else arrays[0]
    return {"variables": variables,
            "status": spread(fits["status"], Status.not_run, np.int8),
            "message": spread(fits["message"], 0, np.int32)}
