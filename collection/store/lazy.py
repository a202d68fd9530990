"""Read shards lazily: a copy of each that a learner's curves can be read from, put side by side.

Fits lie in a shard's SQLite file curve by curve, which keeps a killed run's curves whole but takes
some microseconds a fit to read. The copy beside it (HDF5) has each metric of a learner in a piece,
with a checksum. It is made when the shard is left by its writer, and anew where it is not there or
not of the curves that the shard holds now.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers import curves
from collection.project.paths import cache_dir, written_whole
from collection.project.requirements import library
from collection.protocol.splits import SEEDS
from collection.store.connection import NoStoreError, UnreadableStoreError, read_store
from collection.store.curves import CURVES
from collection.store.reader import KEYS, ORDERS, describe, in_order, kinds_of, open_store

COPY = "curves.h5"
ABOUT = "about"  # what it is a copy of, and its labels: JSON as bytes
PIECE = {"compression": "lzf", "shuffle": True, "fletcher32": True}
CODES = {"status": (np.int8, curves.Status.not_run), "message": (np.int32, 0)}


def keep_copy(folder: Path) -> Path:
    """Write the copy of a shard where it is missing or of other curves; return its path.

    It lies beside the shard, or in the cache where that folder must not be written.
    """
    stamp = _stamp(folder)
    for path in (folder / COPY, _cached(folder)):
        with suppress(OSError, KeyError):  # it is not there, or cannot be read
            if _about(path)["stamp"] == stamp:
                return path
    container = open_store(folder).squeeze("dataset", drop=True) if stamp[0] else None
    try:
        with written_whole(folder / COPY) as part:
            _write(part, container, stamp)
        return folder / COPY
    except OSError:  # the folder may not be written
        with written_whole(_cached(folder)) as part:
            _write(part, container, stamp)
        return _cached(folder)


@dataclass(frozen=True)
class ShardSet:
    """Shards side by side, each a dataset.

    Attributes
    ----------
    files : tuple of Path
        Their copies.
    labels : tuple of mapping of dim to tuple
        What each has along `KEYS` but the dataset, and along the anchors.
    messages : tuple of tuple of str
        Texts of each.
    coords : mapping of dim to ndarray
        What they have together.
    """

    files: tuple[Path, ...]
    labels: tuple[Mapping[str, tuple], ...]
    messages: tuple[tuple[str, ...], ...]
    coords: Mapping[str, np.ndarray]

    @cached_property
    def texts(self) -> list[str]:
        """Distinct messages, the empty one first."""
        return list(dict.fromkeys(["", *(text for own in self.messages for text in own)]))

    def block(self, name: str, dtype: type, fill: float,
              block_id: Sequence[int] = ()) -> np.ndarray:
        """Return a variable of one learner on one dataset, over all other labels.

        Raises `UnreadableStoreError` where the copy is damaged.
        """
        number, labels = block_id[0], self.labels[block_id[0]]
        dims = curves.METRICS[name].dims if name in curves.METRICS else curves.FIT_DIMS
        found = np.full([1, 1, *(len(self.coords[dim]) for dim in dims[2:])], fill, dtype)
        learner = str(self.coords["learner"][block_id[1]])
        if learner in labels["learner"]:
            values = self._read(self.files[number], name, labels["learner"].index(learner))
            if values is not None:
                places = (np.flatnonzero(np.isin(self.coords[dim], labels[dim]))
                          for dim in curves.FIT_DIMS[2:])
                found[0, 0][np.ix_(*places)] = (
                    self._shared(number)[values] if name == "message" else values)
        return found

    def _shared(self, number: int) -> np.ndarray:
        """Return where a shard's messages stand among all."""
        place = {text: i for i, text in enumerate(self.texts)}
        return np.array([place[text] for text in self.messages[number]], np.int32)

    @staticmethod
    def _read(file: Path, name: str, learner: int) -> np.ndarray | None:
        try:
            with library("h5py").File(file) as copy:
                return copy[name][learner] if name in copy else None
        except OSError as error:
            raise UnreadableStoreError(
                f"{file} is damaged or not there any more ({error}). Remove it and open the "
                "collection again: it is made anew from the file beside it.") from error


def open_shards(folders: Mapping[str, Path], datasets: pd.DataFrame,
                settings: Mapping[str, str], path: str | Path) -> xr.Dataset:
    """Open shards as the common container, whose variables are dask arrays.

    A piece of them is one learner on one dataset; opening reads no fit.

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
    copies = {name: keep_copy(folder) for name, folder in folders.items()}
    abouts = {name: _about(file) for name, file in copies.items()}
    there = [name for name in folders if abouts[name]["labels"]]
    if not there:
        raise NoStoreError(f"{path} holds no finished curve yet.")
    shelf = _shelf([copies[name] for name in there], [abouts[name] for name in there], there)
    metrics = curves.metrics_of(*kinds_of(datasets["classes"]))
    variables = {name: (float, np.nan) for name in metrics}
    lazy = {name: _lazy(shelf, name, *of) for name, of in (variables | CODES).items()}
    distinct = settings.get("SEEDS") == '"distinct"' and max(shelf.coords["inner"]) < len(SEEDS)
    container = curves.build_container(shelf.coords, {name: lazy[name] for name in variables},
                                       lazy["status"], lazy["message"], shelf.texts,
                                       database="collected", settings=json.dumps(dict(settings)))
    container = container.assign_coords(describe(datasets, there))
    return curves.with_inner_seeds(container) if distinct else container


def _shelf(files: Iterable[Path], abouts: Sequence[Mapping], names: Sequence[str]) -> ShardSet:
    labels = tuple({dim: tuple(own) for dim, own in about["labels"].items()} for about in abouts)
    coords = {dim: in_order({label for own in labels for label in own[dim]}, ORDERS.get(dim, ()))
              for dim in curves.FIT_DIMS[1:]}
    coords = {"dataset": np.array(names, object), **coords,
              "split": np.array(curves.SPLITS, object)}
    return ShardSet(tuple(files), labels, tuple(tuple(a["messages"]) for a in abouts), coords)


def _lazy(shelf: ShardSet, name: str, dtype: type, fill: float):
    """Return a variable as a dask array, a piece of which is one learner on one dataset."""
    dims = curves.METRICS[name].dims if name in curves.METRICS else curves.FIT_DIMS
    sizes = [len(shelf.coords[dim]) for dim in dims]
    chunks = ((1,) * sizes[0], (1,) * sizes[1], *((size,) for size in sizes[2:]))
    token = sha256(repr((shelf.files, [f.stat().st_mtime_ns for f in shelf.files])).encode())
    return library("dask.array").map_blocks(
        partial(shelf.block, name, dtype, fill), chunks=chunks, dtype=dtype,
        meta=np.empty((0,) * len(dims), dtype), name=f"{name}-{token.hexdigest()}")


def _stamp(folder: Path) -> list:
    """Return what tells whether a shard has other curves than when a copy was made."""
    with read_store(folder, CURVES, whole=False) as db:
        return list(db.execute("SELECT count(*), max(id), sum(checksum) FROM curves").fetchone())


def _about(path: Path) -> dict:
    with library("h5py").File(path) as copy:
        return json.loads(copy[ABOUT][()].tobytes())


def _write(path: Path, container: xr.Dataset | None, stamp: list) -> None:
    """Write a shard's container; an empty one where it has no curve."""
    labels, messages = {}, []
    with library("h5py").File(path, "w", libver="latest") as copy:  # whose structure has checksums
        if container is not None:
            for name in (name for name in (*curves.METRICS, *CODES) if name in container):
                values = container[name].to_numpy()
                copy.create_dataset(name, data=values, chunks=(1, *values.shape[1:]), **PIECE)
            labels = {dim: container[dim].values.tolist() for dim in (*KEYS[1:], "anchor")}
            messages = container["message_text"].values.tolist()
        about = json.dumps({"stamp": stamp, "labels": labels, "messages": messages}).encode()
        copy.create_dataset(ABOUT, data=np.frombuffer(about, np.uint8), chunks=True,
                            fletcher32=True)


def _cached(folder: Path) -> Path:
    """Return where the copy of a shard lies whose folder must not be written."""
    return cache_dir() / f"shard-{sha256(str(folder.resolve()).encode()).hexdigest()[:16]}.h5"
