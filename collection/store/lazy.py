"""Read shards lazily, put side by side: a piece is what one learner did on one dataset."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers import curves
from collection.project.requirements import library
from collection.protocol.splits import SEEDS
from collection.store.connection import NoStoreError, check_rows, read_store
from collection.store.curves import CURVES, FILE
from collection.store.reader import (
    KEYS,
    ORDERS,
    curves_of,
    describe,
    in_order,
    kinds_of,
    open_store,
    with_labels,
)

CODES = {"status": (np.int8, curves.Status.not_run), "message": (np.int32, 0)}
#: The container of one learner in a shard; its third argument says which curves there are.
_opened = lru_cache(maxsize=8)(lambda folder, learner, stamp: open_store(folder, learner))


@dataclass(frozen=True)
class ShardSet:
    """Shards side by side, each a dataset.

    Attributes
    ----------
    folders : tuple of Path
    learners : tuple of set
        Of each.
    stamps : tuple
        Of each what changes where a curve comes to it.
    labels : mapping of dim to ndarray
        What they have together.
    place : mapping of str to int
        Where distinct messages stand, the empty one first.
    """

    folders: tuple[Path, ...]
    learners: tuple[set[str], ...]
    stamps: tuple[tuple, ...]
    labels: Mapping[str, np.ndarray]
    place: Mapping[str, int]

    @property
    def token(self) -> str:
        """What tells these curves from others."""
        return sha256(repr((self.folders, self.stamps)).encode()).hexdigest()

    def block(self, name: str, dtype: type, fill: float,
              block_id: Sequence[int] = ()) -> np.ndarray:
        """Return a variable of one learner on one dataset, over all other labels.

        Raises `UnreadableStoreError` where the shard is damaged.
        """
        number, learner = block_id[0], str(self.labels["learner"][block_id[1]])
        labels = {dim: self.labels[dim] for dim in _dims(name)[2:]}
        if learner in self.learners[number]:
            opened = _opened(self.folders[number], learner, self.stamps[number])
            if name == "message":
                place = np.array([self.place[text] for text in opened["message_text"].values])
                opened = opened.assign(message=(curves.FIT_DIMS, place[opened[name].values]))
            if name in opened:
                found = opened[name].reindex(labels, fill_value=fill)
                return found.to_numpy().astype(dtype)
        return np.full([1, 1, *map(len, labels.values())], fill, dtype)


def open_shards(folders: Mapping[str, Path], datasets: pd.DataFrame,
                settings: Mapping[str, str], path: str | Path) -> xr.Dataset:
    """Open shards as the common container, whose variables are dask arrays.

    A piece of them is one learner on one dataset; opening reads no metric.

    Parameters
    ----------
    folders : mapping of dataset to Path
        In the order of the container.
    datasets : pandas.DataFrame
        Table ``datasets`` of the whole.
    settings : mapping of str to str
        Its settings.
    path : str or Path
        Of the whole, for messages.

    Returns
    -------
    xarray.Dataset
        As `collection.store.open_store` describes.

    Raises
    ------
    NoStoreError
        Where they have no finished curve.
    """
    found = {name: _labels(folder) for name, folder in folders.items()}
    there = [name for name in folders if len(found[name]["anchor"])]
    if not there:
        raise NoStoreError(f"{path} holds no finished curve yet.")
    labels = {dim: in_order({label for name in there for label in found[name][dim]},
                            ORDERS.get(dim, ())) for dim in (*KEYS[1:], "anchor")}
    distinct = settings.get("SEEDS") == '"distinct"' and max(labels["inner"]) < len(SEEDS)
    labels = {"dataset": np.array(there, object), **labels,
              "split": np.array(curves.SPLITS, object)}
    texts = dict.fromkeys(["", *(text for name in there for text in found[name]["message"])])
    shelf = ShardSet(tuple(folders[name] for name in there),
                     tuple(found[name]["learner"] for name in there),
                     tuple(found[name]["stamp"] for name in there), labels,
                     {text: number for number, text in enumerate(texts)})
    metrics = curves.metrics_of(*kinds_of(datasets["classes"]))
    lazy = {name: _lazy(shelf, name, float, np.nan) for name in metrics}
    codes = {name: _lazy(shelf, name, *of) for name, of in CODES.items()}
    container = curves.build_container(labels, lazy, **codes, messages=list(texts),
                                       database="collected", settings=json.dumps(dict(settings)))
    container = container.assign_coords(describe(datasets, there))
    return curves.with_inner_seeds(container) if distinct else container


def _labels(folder: Path) -> dict:
    """Return a shard's labels by dim, its messages, and what changes where a curve comes to it."""
    with read_store(folder, CURVES, whole=False) as db:
        for table in CURVES.facts:
            check_rows(db, table)
        found = curves_of(db)
        with_labels(found, dict(db.execute("SELECT name, value FROM settings")))
        anchors = db.execute("SELECT DISTINCT anchor FROM fits").fetchall()
        messages = db.execute("SELECT text FROM messages ORDER BY id").fetchall()
    labels = {dim: set(found[dim]) for dim in KEYS[1:]}
    return {**labels, "anchor": {anchor for (anchor,) in anchors},
            "message": [text for (text,) in messages],
            "stamp": ((folder / FILE).stat().st_mtime_ns, len(found), found["checksum"].sum())}


def _dims(name: str) -> Sequence[str]:
    return curves.METRICS[name].dims if name in curves.METRICS else curves.FIT_DIMS


def _lazy(shelf: ShardSet, name: str, dtype: type, fill: float):
    """Return a variable as a dask array, a piece of which is one learner on one dataset."""
    sizes = [len(shelf.labels[dim]) for dim in _dims(name)]
    chunks = ((1,) * sizes[0], (1,) * sizes[1], *((size,) for size in sizes[2:]))
    return library("dask.array").map_blocks(
        partial(shelf.block, name, dtype, fill), chunks=chunks, dtype=dtype,
        meta=np.empty((0,) * len(sizes), dtype), name=f"{name}-{shelf.token}")
