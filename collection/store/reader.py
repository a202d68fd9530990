"""Read a store of one file: as the common container, or as a table.

`collection.store` reads stores of either kind by it, and says more of what is returned.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy.lib.recfunctions import repack_fields

from collection.containers import curves as layout
from collection.containers.learner_names import LEARNERS
from collection.protocol.splits import SEEDS
from collection.store import connection
from collection.store.curves import CURVES, FIT, check_curve

KEYS = layout.FIT_DIMS[:-1]  # what a curve is of
ORDERS = {"learner": LEARNERS, "scaling": layout.SCALINGS, "leakage": layout.LEAKAGES}  # of labels


def open_store(path: str | Path, learner: str | None = None) -> xr.Dataset:
    """Open the curves of a file, or of one learner in it, as the common container, in memory."""
    with connection.read_store(path, CURVES, whole=learner is None) as db:
        curves, fits = _curves_and_fits(db, learner)
        datasets = datasets_of(db)
        messages = [text for (text,) in db.execute("SELECT text FROM messages ORDER BY id")]
        settings = dict(db.execute("SELECT name, value FROM settings"))
    if not len(fits):
        raise connection.NoStoreError(f"{path} holds no finished curve yet.")
    distinct = with_labels(curves, settings)
    if learner is not None:
        curves = curves[curves["learner"] == learner]
    orders = ORDERS | {"dataset": datasets["name"]}
    coords = {key: in_order(curves[key], orders.get(key, ())) for key in KEYS}
    of_curve = _rows_of(curves, fits)
    places = [pd.Categorical(curves[key], coords[key]).codes[of_curve] for key in KEYS]
    coords["anchor"], anchor = np.unique(fits["anchor"], return_inverse=True)
    coords["split"] = np.array(layout.SPLITS, object)
    kinds = kinds_of(datasets["classes"])
    container = layout.build_container(coords, **_scatter(fits, (*places, anchor), coords, kinds),
                                messages=messages, database="collected",
                                settings=json.dumps(settings))
    container = container.assign_coords(describe(datasets, coords["dataset"]))
    return layout.with_inner_seeds(container) if distinct else container


def with_labels(curves: pd.DataFrame, settings: Mapping[str, str]) -> bool:
    """Label inner seeds that are distinct 0 to 4, in place; tell whether they are."""
    outer, inner = np.divmod(curves["inner"], len(SEEDS))
    distinct = settings.get("SEEDS") == '"distinct"' and outer.equals(curves["outer"])
    if distinct:  # other splits may be given
        curves["inner"] = inner
    return distinct


def describe(datasets: pd.DataFrame, names: Sequence[str]) -> dict[str, tuple[str, np.ndarray]]:
    """Return the coordinates along ``dataset``, given table ``datasets`` and the dim's labels."""
    described = datasets.set_index("name").loc[list(names)].drop(
        columns="fingerprint").astype({"openml_id": float})
    described["name"] = [name.rpartition("/")[2] for name in described.index]
    return {c: ("dataset", described[c].to_numpy()) for c in described}


def fits_of(db: sqlite3.Connection) -> pd.DataFrame:
    """Return one row per fit of a file."""
    curves, fits = _curves_and_fits(db)
    kinds = kinds_of(classes for (classes,) in db.execute("SELECT classes FROM datasets"))
    messages = dict(db.execute("SELECT id, text FROM messages"))
    keys = curves[list(KEYS)].iloc[_rows_of(curves, fits)].reset_index(drop=True)
    metrics = (layout.METRICS[name] for name in layout.metrics_of(*kinds))
    columns = [column for metric in metrics for column in metric.columns]
    values = pd.DataFrame(fits)[["anchor", "status", "message", *columns]]
    values["status"] = values["status"].map({s.value: s.name for s in layout.Status})
    values["message"] = values["message"].map(messages)
    return pd.concat([keys, values], axis=1)


def datasets_of(db: sqlite3.Connection) -> pd.DataFrame:
    """Return one row per dataset of a file, in the order that they were added."""
    return pd.read_sql("SELECT * FROM datasets ORDER BY id", db).drop(columns="id")


def summary_of(db: sqlite3.Connection) -> pd.DataFrame:
    """Count what became of a file's fits, by reason."""
    table = pd.read_sql(
        "SELECT s.name AS dataset, l.name AS learner, scaling, leakage, f.status, "
        "m.text AS message, count(*) AS fits, count(DISTINCT curve) AS curves, "
        f"min(anchor) AS from_anchor, max(anchor) AS to_anchor {CURVES.rows} "
        "JOIN fits f ON f.curve = r.id JOIN messages m ON m.id = f.message "
        "GROUP BY r.dataset, r.learner, scaling, leakage, f.status, f.message", db)
    return table.assign(status=table["status"].map({s.value: s.name for s in layout.Status}))


def curves_of(db: sqlite3.Connection) -> pd.DataFrame:
    """Return the finished curves, by ascending id."""
    found = pd.read_sql(f"SELECT {CURVES.labels}, seconds, worker, finished, r.id, checksum "
                        f"{CURVES.rows} ORDER BY r.id", db)
    return found.set_axis([*KEYS, *found.columns[len(KEYS):]], axis=1)


def _curves_and_fits(db: sqlite3.Connection,
                     learner: str | None = None) -> tuple[pd.DataFrame, np.ndarray]:
    """Return all curves, and their fits or a learner's; `AlteredError` where they were changed."""
    every, fits = curves_of(db), _fits(db, learner)
    curves = every if learner is None else every[every["learner"] == learner]
    records = repack_fields(fits[list(FIT.names)])
    ends = np.searchsorted(fits["curve"], curves["id"], side="right")
    starts = np.searchsorted(fits["curve"], curves["id"])
    keys = curves[list(KEYS)].itertuples(index=False, name=None)
    for key, start, end, stated in zip(keys, starts, ends, curves["checksum"], strict=True):
        check_curve(key, records[start:end], stated)
    if len(fits) != (ends - starts).sum():
        raise connection.AlteredError("it has fits of curves that are not there any more")
    return every, fits


def _fits(db: sqlite3.Connection, learner: str | None = None) -> np.ndarray:
    """Return every fit as a record array: curve's id, anchor, status, message, COLUMNS."""
    dtype = [("curve", "i8"), *((name, FIT[name]) for name in FIT.names)]
    which, of = "FROM fits", ()
    if learner is not None:
        which += f" WHERE curve IN (SELECT r.id {CURVES.rows} WHERE l.name = ?)"
        of = (learner,)
    count = db.execute(f"SELECT count(*) {which}", of).fetchone()[0]
    rows = db.execute(f"SELECT {', '.join(name for name, _ in dtype)} {which} "
                      "ORDER BY curve, anchor", of)
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
    spread = layout.scatter(places, tuple(len(coords[dim]) for dim in layout.FIT_DIMS))
    metrics = {name: layout.METRICS[name] for name in layout.metrics_of(*kinds)}
    return {"variables": {name: metric.from_columns(lambda column: spread(fits[column]))
                          for name, metric in metrics.items()},
            "status": spread(fits["status"], layout.Status.not_run, np.int8),
            "message": spread(fits["message"], 0, np.int32)}
