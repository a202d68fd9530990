"""Read a store of one file: as the common container, as a table, or a fit's predictions.

`collection.store` has the same of stores of either kind, and says what they return.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy.lib.recfunctions import repack_fields

from collection.containers.curves import (
    DIMS,
    FIT_DIMS,
    LEAKAGES,
    METRICS,
    SCALINGS,
    SPLITS,
    CurveKey,
    Status,
    build_container,
    metrics_of,
)
from collection.containers.learner_names import LEARNERS
from collection.store.connection import (
    AlteredError,
    Form,
    NoStoreError,
    check_rows,
    known_column,
    read_store,
    see_whole,
)
from collection.store.schema import CURVES, FIT, curve_checksum, from_archive, metric_columns

KEYS = FIT_DIMS[:-1]  # what a curve is of


def open_store(path: str | Path) -> xr.Dataset:
    """Open the curves of a file as the common container, in memory."""
    with read_store(path, CURVES) as db:
        curves, fits = _curves_and_fits(db)
        datasets = pd.read_sql("SELECT * FROM datasets ORDER BY id", db)
        messages = [text for (text,) in db.execute("SELECT text FROM messages ORDER BY id")]
        settings = dict(db.execute("SELECT name, value FROM settings"))
    if not len(fits):
        raise NoStoreError(f"{path} holds no finished curve yet.")
    orders = {"dataset": datasets["name"], "learner": LEARNERS, "scaling": SCALINGS,
              "leakage": LEAKAGES}
    coords = {key: in_order(curves[key], orders.get(key, ())) for key in KEYS}
    of_curve = _rows_of(curves, fits)
    places = [pd.Categorical(curves[key], coords[key]).codes[of_curve] for key in KEYS]
    coords["anchor"], anchor = np.unique(fits["anchor"], return_inverse=True)
    coords["split"] = np.array(SPLITS, object)
    kinds = kinds_of(datasets["classes"])
    container = build_container(coords, **_scatter(fits, (*places, anchor), coords, kinds),
                                messages=messages, database="collected",
                                settings=json.dumps(settings))
    return container.assign_coords(describe(datasets, coords["dataset"]))


def describe(datasets: pd.DataFrame, names: Sequence[str]) -> dict[str, tuple[str, np.ndarray]]:
    """Return the coordinates along ``dataset``, given table ``datasets`` and the dim's labels."""
    described = datasets.set_index("name").loc[list(names)].drop(
        columns=["id", "fingerprint"]).astype({"openml_id": float})
    described["name"] = [name.rpartition("/")[2] for name in described.index]
    return {c: ("dataset", described[c].to_numpy()) for c in described}


def read_fits(path: str | Path) -> pd.DataFrame:
    """Return one row per fit of a file."""
    with read_store(path, CURVES) as db:
        curves, fits = _curves_and_fits(db)
        kinds = kinds_of(classes for (classes,) in db.execute("SELECT classes FROM datasets"))
        messages = dict(db.execute("SELECT id, text FROM messages"))
    keys = curves[list(KEYS)].iloc[_rows_of(curves, fits)].reset_index(drop=True)
    columns = [column for name in metrics_of(*kinds) for column in metric_columns(name)]
    values = pd.DataFrame(fits)[["anchor", "status", "message", *columns]]
    values["status"] = values["status"].map({s.value: s.name for s in Status})
    values["message"] = values["message"].map(messages)
    return pd.concat([keys, values], axis=1).sort_values(list(FIT_DIMS), ignore_index=True)


def read_curves(path: str | Path) -> pd.DataFrame:
    """Return one row per finished curve of a file."""
    with read_store(path, CURVES) as db:
        return _curves(db).drop(columns=["id", "checksum"])


def read_datasets(path: str | Path) -> pd.DataFrame:
    """Return one row per dataset of a file."""
    with read_store(path, CURVES) as db:
        return pd.read_sql("SELECT * FROM datasets ORDER BY id", db).drop(columns="id")


def summarise_fits(path: str | Path) -> pd.DataFrame:
    """Count what became of a file's fits, by reason."""
    with read_store(path, CURVES) as db:
        table = pd.read_sql(
            "SELECT d.name AS dataset, l.name AS learner, scaling, leakage, f.status, "
            "m.text AS message, count(*) AS fits, count(DISTINCT curve) AS curves, "
            "min(anchor) AS from_anchor, max(anchor) AS to_anchor "
            "FROM fits f JOIN curves c ON c.id = f.curve JOIN datasets d ON d.id = c.dataset "
            "JOIN learners l ON l.id = c.learner JOIN messages m ON m.id = f.message "
            "GROUP BY c.dataset, c.learner, scaling, leakage, f.status, f.message", db)
    return table.assign(status=table["status"].map({s.value: s.name for s in Status}))


def read_predictions(path: str | Path, anchor: int, **curve: str | int) -> dict[str, np.ndarray]:
    """Return what was predicted at one fit of a file."""
    where = " AND ".join(f"c.{key} = ?" for key in KEYS[2:])
    with read_store(path, CURVES, whole=False) as db:
        row = db.execute(
            "SELECT p.curve, archive FROM predictions p JOIN curves c ON c.id = p.curve "
            "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner "
            f"WHERE p.anchor = ? AND d.name = ? AND l.name = ? AND {where}",
            (int(anchor), *(curve[key] for key in KEYS))).fetchone()
        if row:
            check_rows(db, "predictions", row[0])
            return from_archive(row[1])
    see_whole(path, CURVES)
    raise KeyError(f"{path} holds no predictions of {curve} at anchor {anchor}. They are "
                   "stored where the collection ran with PREDICTIONS=yes and the fit is ok.")


def read_curve_predictions(
    path: str | Path, names: Collection[str] | None = None, **curve: str | int
) -> dict[int, dict[str, np.ndarray]]:
    """Return what was predicted at every fit of a curve of a file, by anchor."""
    where = " AND ".join(f"c.{key} = ?" for key in KEYS[2:])
    with read_store(path, CURVES, whole=False) as db:
        rows = db.execute(
            "SELECT p.curve, p.anchor, p.archive FROM predictions p "
            "JOIN curves c ON c.id = p.curve JOIN datasets d ON d.id = c.dataset "
            "JOIN learners l ON l.id = c.learner "
            f"WHERE d.name = ? AND l.name = ? AND {where} ORDER BY p.anchor",
            tuple(curve[key] for key in KEYS)).fetchall()
        for of_curve in {of_curve for of_curve, *_ in rows}:
            check_rows(db, "predictions", of_curve)
        found = {anchor: from_archive(archive, names) for _, anchor, archive in rows}
    if not found:
        see_whole(path, CURVES)
    return found


def read_settings(path: str | Path, form: Form = CURVES) -> dict[str, object]:
    """Return what every curve of a file was collected under."""
    with read_store(path, form) as db:
        return {name: json.loads(value) for name, value in db.execute("SELECT * FROM settings")}


@dataclass(frozen=True)
class StoredCurve:
    """A curve as a file holds it.

    Attributes
    ----------
    key : CurveKey
    row, run : int
        Its row, and that of the run that gathered it.
    fits : ndarray of `FIT`
        By ascending anchor, messages by number.
    messages : tuple of str
        Their texts.
    seconds : float
    worker, finished : str
    """

    key: CurveKey
    row: int
    run: int
    fits: np.ndarray
    messages: tuple[str, ...]
    seconds: float
    worker: str
    finished: str


def stored_curves(db: sqlite3.Connection, dataset: str) -> Iterator[StoredCurve]:
    """Yield the curves of a dataset; `AlteredError` where one is not what was written."""
    texts = dict(db.execute("SELECT id, text FROM messages"))
    columns = ", ".join(known_column(db, "fits", "fits", name) for name in FIT.names)
    rows = db.execute(
        "SELECT d.name, l.name, scaling, leakage, outer, inner, c.id, run, seconds, worker, "
        f"finished, {known_column(db, 'curves', 'c', 'checksum')} FROM curves c "
        "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner "
        "WHERE d.name = ? ORDER BY c.id", (dataset,)).fetchall()
    for *key, row, run, seconds, worker, finished, stated in rows:
        fits = np.array(db.execute(f"SELECT {columns} FROM fits WHERE curve = ? ORDER BY anchor",
                                   (row,)).fetchall(), FIT)
        if stated is not None and curve_checksum(key, fits) != stated:
            raise AlteredError(f"the curve of {', '.join(map(str, key))} is not what was written")
        yield StoredCurve(CurveKey(*key), row, run, fits, tuple(texts[m] for m in fits["message"]),
                          seconds, worker, finished)


def _curves(db: sqlite3.Connection) -> pd.DataFrame:
    """Return the finished curves, by ascending id."""
    return pd.read_sql(
        "SELECT d.name AS dataset, l.name AS learner, scaling, leakage, outer, inner, seconds, "
        f"worker, finished, c.id, {known_column(db, 'curves', 'c', 'checksum')} FROM curves c "
        "JOIN datasets d ON d.id = c.dataset JOIN learners l ON l.id = c.learner ORDER BY c.id", db)


def _curves_and_fits(db: sqlite3.Connection) -> tuple[pd.DataFrame, np.ndarray]:
    """Return both; `AlteredError` where a curve is not what was written."""
    curves, fits = _curves(db), _fits(db)
    records = repack_fields(fits[list(FIT.names)])
    ends = np.searchsorted(fits["curve"], curves["id"], side="right")
    starts = np.searchsorted(fits["curve"], curves["id"])
    keys = curves[list(KEYS)].itertuples(index=False, name=None)
    for key, start, end, stated in zip(keys, starts, ends, curves["checksum"], strict=True):
        if not pd.isna(stated) and curve_checksum(key, records[start:end]) != stated:
            raise AlteredError(f"the curve of {', '.join(map(str, key))} is not what was written")
    if len(fits) != (ends - starts).sum():
        raise AlteredError("it has fits of curves that are not there any more")
    return curves, fits


def _fits(db: sqlite3.Connection) -> np.ndarray:
    """Return every fit as a record array: curve's id, anchor, status, message, COLUMNS."""
    dtype = [("curve", "i8"), *((name, FIT[name]) for name in FIT.names)]
    count = db.execute("SELECT count(*) FROM fits").fetchone()[0]
    names = (known_column(db, "fits", "fits", name) for name, _ in dtype)
    rows = db.execute(f"SELECT {', '.join(names)} FROM fits ORDER BY curve, anchor")
    return np.fromiter(rows, dtype=dtype, count=count)  # a NULL becomes NaN


def kinds_of(classes: Iterable[int]) -> set[str]:
    """Return what has to be predicted in datasets of so many classes."""
    return {"classes" if number else "numbers" for number in classes}


def _rows_of(curves: pd.DataFrame, fits: np.ndarray) -> np.ndarray:
    """Return the row of `curves` that each fit belongs to."""
    return np.searchsorted(curves["id"], fits["curve"])


def in_order(values: pd.Series, order: Iterable) -> np.ndarray:
    """Return the distinct values: those of `order` in its order, then the others sorted."""
    present = set(values)
    known = [label for label in order if label in present]
    labels = known + sorted(present.difference(known))
    return np.array(labels, object if isinstance(labels[0], str) else int)


def _scatter(fits: np.ndarray, places: tuple[np.ndarray, ...], coords: dict,
             kinds: Iterable[str]) -> dict:
    """Put each fit's values at its place in dense arrays over the container's dims."""
    shape = tuple(len(coords[dim]) for dim in FIT_DIMS)
    flat = np.ravel_multi_index(places, shape)

    def spread(values: np.ndarray, fill: float, dtype: type) -> np.ndarray:
        array = np.full(int(np.prod(shape)), fill, dtype)
        array[flat] = values
        return array.reshape(shape)

    variables = {}
    for name in metrics_of(*kinds):
        arrays = [spread(fits[c], np.nan, float) for c in metric_columns(name)]
        variables[name] = np.stack(arrays, axis=-1) if METRICS[name].dims == DIMS else arrays[0]
    return {"variables": variables,
            "status": spread(fits["status"], Status.not_run, np.int8),
            "message": spread(fits["message"], 0, np.int32)}
