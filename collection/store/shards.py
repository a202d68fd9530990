"""A store in shards: where one file would be too large, a file for every dataset.

==============================  ===================================================================
file in the collection's folder holds
==============================  ===================================================================
``curves.sqlite``               settings, runs and datasets; no curve
``shards/NAME/curves.sqlite``   a store of its own, of one dataset, as `collection.store.curves`
==============================  ===================================================================

``NAME`` is the dataset's, with what a file may not be called by written as in an address. A
dataset's shard is made before the dataset is entered above, so one that is entered and has no
shard has lost it.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers import curves
from collection.containers.curves import CurveKey
from collection.project.requirements import library
from collection.protocol.splits import SEEDS
from collection.store import connection, reader
from collection.store.curves import CURVES, FILE, StoreWriter

FOLDER = "shards"
# What tells it from a store of one file: from 2 on, versions of these are even, of shards odd.
SHARDS = replace(CURVES, version=CURVES.version + 1, folders=(FOLDER,))
SHARDED_FROM = 500_000  # fits that are planned: some 95 MB, which open in four seconds or more
OPEN = 2  # shards written to at a time: curves come dataset by dataset


def form_of(path: str | Path) -> connection.StoreFormat:
    """Return the kind of the store at `path`, a folder or the file in it; `CURVES` where none is.

    Raises `UnreadableStoreError` where its file is damaged.
    """
    file = _file(path)
    if not file.is_file():
        return CURVES
    with connection.connected(file) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    return SHARDS if version > 1 and version % 2 else CURVES


def open_writer(folder: Path, settings: Mapping[str, object], provenance: Mapping[str, object],
                fits: int = 0) -> StoreWriter:
    """Return the writer of the store in `folder`, of the kind that it is.

    Parameters
    ----------
    folder, settings, provenance
        As for `collection.store.base.Writer`.
    fits : int
        Planned in all: a new store of more than `SHARDED_FROM` is in shards.
    """
    begun = connection.is_begun(folder, CURVES)
    sharded = form_of(folder) is SHARDS if begun else fits > SHARDED_FROM
    return (ShardedWriter if sharded else StoreWriter)(folder, settings, provenance)


def shard_folder(path: str | Path, dataset: str) -> Path:
    """Return where the curves of a dataset lie in the sharded store at `path`."""
    name = quote(dataset, safe=" ")
    return _file(path).parent / FOLDER / (name if name.strip(".") else name.replace(".", "%2E"))


def shard_folders(path: str | Path) -> dict[str, Path]:
    """Return the shards of a store by dataset, in the order that these were added.

    Raises
    ------
    NoStoreError
        Where there is no store.
    UnreadableStoreError
        Where a shard is missing, or of another collection.
    """
    with connection.read_store(path, SHARDS) as db:
        settings, datasets = _of_what(db)
    return {name: _checked(path, name, settings, datasets) for name in datasets}


def _checked(path: str | Path, name: str, settings: Mapping[str, str],
             datasets: Mapping[str, str]) -> Path:
    """Return the shard of a dataset; raise where it is not the one of this collection."""
    folder = shard_folder(path, name)
    try:
        with connection.read_store(folder, CURVES, whole=False) as db:
            connection.check_rows(db, "settings")
            connection.check_rows(db, "datasets")
            own, held = _of_what(db)
    except connection.NoStoreError:
        raise _lost(path, name) from None
    differing = [n for n in own if own[n] != settings.get(n, own[n])]
    other = ("holds other data than" if held != {name: datasets[name]} else
             f"has other settings ({', '.join(differing)}) than" if differing else "")
    if other:
        raise connection.UnreadableStoreError(
            f"{folder} {other} {name!r} of {path}: it is a shard of another collection. Put back "
            "the one that was there.")
    return folder


def finished(folders: Mapping[str, Path]) -> set[CurveKey]:
    """Return the curves that are in shards (see `shard_folders`)."""
    found: set[CurveKey] = set()
    for folder in folders.values():
        with connection.read_store(folder, CURVES, whole=False) as db:
            for table in CURVES.facts:
                connection.check_rows(db, table)
            found |= CURVES.finished(db)
    return found


@dataclass
class ShardedWriter(StoreWriter):
    """The one writer of a store in shards; see `collection.store.base.Writer`."""

    form: ClassVar[connection.StoreFormat] = SHARDS
    _shards: dict[str, StoreWriter] = field(default_factory=dict, init=False, repr=False)

    def __exit__(self, *exception: object) -> None:
        try:
            for name in list(self._shards):
                self._shut(name)
        finally:
            super().__exit__(*exception)

    def add_subject(self, row: Mapping[str, object]) -> None:
        """Register a dataset, given the columns of table ``datasets``; make its shard.

        Raises
        ------
        ChangedSettingsError
            Where the store holds curves of other data under this name.
        UnreadableStoreError
            Where the dataset's shard is not there any more.
        """
        name, folder = row["name"], shard_folder(self.folder, row["name"])
        if name not in self.datasets():
            with StoreWriter(folder, self.settings, self.provenance) as shard:
                shard.add_dataset(row)
        elif not (folder / FILE).is_file():
            raise _lost(self.folder, name)
        super().add_subject(row)

    add_dataset = add_subject

    def finished(self) -> set[CurveKey]:
        """Return the curves that are in the store."""
        return finished(self._folders())

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """Return the mean seconds that stored curves took, by dataset's name and learner."""
        found = {}
        for folder in self._folders().values():
            with connection.read_store(folder, CURVES, whole=False) as db:
                found |= CURVES.mean_seconds(db)
        return found

    def add_all(self, results: Mapping[CurveKey, object]) -> None:
        """Store curves, those of each dataset in one transaction or none of them."""
        of_dataset: dict[str, dict] = defaultdict(dict)
        for key, result in results.items():
            of_dataset[key.dataset][key] = result
        for name, own in of_dataset.items():
            self.shard(name).add_all(own)

    def datasets(self) -> list[str]:
        """Return the names of the datasets that there are shards of."""
        return [name for (name,) in self._db.execute("SELECT name FROM datasets ORDER BY id")]

    def _folders(self) -> dict[str, Path]:
        return {name: shard_folder(self.folder, name) for name in self.datasets()}

    def shard(self, name: str) -> StoreWriter:
        """Return the writer of a dataset's shard, open."""
        if name not in self._shards:
            if len(self._shards) >= OPEN:
                self._shut(next(iter(self._shards)))
            folder = _checked(self.folder, name, *_of_what(self._db))
            shard = StoreWriter(folder, self.settings, self.provenance)
            self._shards[name] = shard.__enter__()
        self._shards[name] = self._shards.pop(name)  # the latest is shut last
        return self._shards[name]

    def _shut(self, name: str) -> None:
        self._shards.pop(name).__exit__(None, None, None)


def _file(path: str | Path) -> Path:
    """Return the file that says what a store is."""
    path = Path(path)
    return path if path.suffix == ".sqlite" and not path.is_dir() else path / FILE


def _of_what(db) -> tuple[dict[str, str], dict[str, str]]:
    """Return the settings, and the fingerprints of the datasets by name."""
    return (dict(db.execute("SELECT name, value FROM settings")),
            dict(db.execute("SELECT name, fingerprint FROM datasets ORDER BY id")))


def _lost(path: str | Path, name: str) -> connection.UnreadableStoreError:
    return connection.UnreadableStoreError(
        f"{shard_folder(path, name) / FILE}, the shard of {name!r}, is missing. Put it back, or "
        "collect again into another OUT and merge what is left.")


CODES = {"status": (np.int8, curves.Status.not_run), "message": (np.int32, 0)}


@lru_cache(maxsize=8)
def _opened(folder: Path, learner: str, stamp: object) -> xr.Dataset:
    """Return the container of one learner in a shard; its stamp says which curves there are."""
    found = reader.open_store(folder, learner)
    for index in found.indexes.values():
        index.get_indexer(index)  # the first look at one is not safe in several threads
    return found


@dataclass(frozen=True)
class ShardSet:
    """Shards side by side, each a dataset.

    Attributes
    ----------
    shards : sequence of dict
        Of each what `_labels` returns.
    labels : mapping of dim to ndarray
        What they have together.
    place : mapping of str to int
        Where distinct messages stand, the empty one first.
    """

    shards: Sequence[Mapping]
    labels: Mapping[str, np.ndarray]
    place: Mapping[str, int]

    def block(self, name: str, dtype: type, fill: float,
              block_id: Sequence[int] = ()) -> np.ndarray:
        """Return a variable of one learner on one dataset, over all other labels.

        Raises `UnreadableStoreError` where the shard is damaged.
        """
        shard, learner = self.shards[block_id[0]], str(self.labels["learner"][block_id[1]])
        labels = {dim: self.labels[dim] for dim in _dims(name)[2:]}
        if learner in shard["learner"]:
            opened = _opened(shard["folder"], learner, shard["stamp"])
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
    there = {name: shard for name, shard in found.items() if shard["anchor"]}
    if not there:
        raise connection.NoStoreError(f"{path} holds no finished curve yet.")
    labels = {"dataset": np.array(list(there), object), "split": np.array(curves.SPLITS, object)}
    for dim in (*reader.KEYS[1:], "anchor"):
        known = {label for shard in there.values() for label in shard[dim]}
        labels[dim] = reader.in_order(known, reader.ORDERS.get(dim, ()))
    distinct = settings.get("SEEDS") == '"distinct"' and max(labels["inner"]) < len(SEEDS)
    texts = dict.fromkeys(["", *(text for shard in there.values() for text in shard["message"])])
    shelf = ShardSet(list(there.values()), labels,
                     {text: number for number, text in enumerate(texts)})
    metrics = curves.metrics_of(*reader.kinds_of(datasets["classes"]))
    lazy = {name: _lazy(shelf, name, float, np.nan) for name in metrics}
    codes = {name: _lazy(shelf, name, *of) for name, of in CODES.items()}
    container = curves.build_container(labels, lazy, **codes, messages=list(texts),
                                       database="collected", settings=json.dumps(dict(settings)))
    container = container.assign_coords(reader.describe(datasets, list(there)))
    return curves.with_inner_seeds(container) if distinct else container


def _labels(folder: Path) -> dict:
    """Return a shard's labels by dim, its messages, and what changes where a curve comes to it."""
    with connection.read_store(folder, CURVES, whole=False) as db:
        for table in CURVES.facts:
            connection.check_rows(db, table)
        found = reader.curves_of(db)
        reader.with_labels(found, dict(db.execute("SELECT name, value FROM settings")))
        anchors = db.execute("SELECT DISTINCT anchor FROM fits").fetchall()
        messages = db.execute("SELECT text FROM messages ORDER BY id").fetchall()
    labels = {dim: set(found[dim]) for dim in reader.KEYS[1:]}
    return {**labels, "folder": folder, "anchor": {anchor for (anchor,) in anchors},
            "message": [text for (text,) in messages],
            "stamp": ((folder / FILE).stat().st_mtime_ns, len(found), found["checksum"].sum())}


def _dims(name: str) -> Sequence[str]:
    return curves.METRICS[name].dims if name in curves.METRICS else curves.FIT_DIMS


def _lazy(shelf: ShardSet, name: str, dtype: type, fill: float):
    """Return a variable as a dask array, a piece of which is one learner on one dataset."""
    sizes = [len(shelf.labels[dim]) for dim in _dims(name)]
    token = sha256(repr([(shard["folder"], shard["stamp"]) for shard in shelf.shards]).encode())
    chunks = ((1,) * sizes[0], (1,) * sizes[1], *((size,) for size in sizes[2:]))
    return library("dask.array").map_blocks(
        partial(shelf.block, name, dtype, fill), chunks=chunks, dtype=dtype,
        meta=np.empty((0,) * len(sizes), dtype), name=f"{name}-{token.hexdigest()}")
