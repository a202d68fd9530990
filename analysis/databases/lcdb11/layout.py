"""How the official HDF5 files are laid out, and whether a given file is.

The authors' axes are dataset, learner, outer, inner, anchor, split, scaling, leakage; times,
statuses and messages lack split.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

import dask.array as da
import h5py
import numpy as np

from analysis.databases.lcdb11 import files
from analysis.databases.lcdb11.files import LayoutError
from collection.containers.curves import DIMS, LEAKAGES, METRICS, SCALINGS, SPLITS
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS

AXES = ("dataset", "learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
STATUS_KEY, MESSAGE_KEY = "status", "error message"
KEYS = {
    "error_rate": ("error rate",),
    "auc": ("AUC",),
    "f1": ("f1",),
    "log_loss": ("log-loss",),
    "train_time": ("traintime",),
    files.MESSAGE: (STATUS_KEY, MESSAGE_KEY),
}
# Learner sets that were computed for the first scalings and leakages only.
FEWER = {
    "catboost": {"scaling": 1, "leakage": 1}, "realmlp": {"scaling": 1, "leakage": 1},
    "tabnet": {"scaling": 1, "leakage": 1}, "tabpfn": {"leakage": 1},
}


def file_axes(metric: str) -> tuple[str, ...]:
    """Return the axes of a metric's file in the authors' order."""
    has_split = metric in METRICS and "split" in METRICS[metric].dims
    return AXES if has_split else tuple(a for a in AXES if a != "split")


def file_lengths(file: files.OfficialFile) -> dict[str, int]:
    """Return the length of every axis of a file, in the authors' order."""
    lengths = container_lengths(len(files.dataset_ids(file.datasets)), file.learners, AXES)
    lengths |= FEWER.get(file.learners, {})
    return {axis: lengths[axis] for axis in file_axes(file.metric)}


def check_layout(path: Path, file: files.OfficialFile) -> None:
    """Check that `path` opens and holds what the layout says of `file`; reads no curve.

    Raises
    ------
    LayoutError
        Where the file is truncated or no HDF5, lacks a dataset, or has another shape or type.
    """
    try:
        with h5py.File(path, "r") as opened:
            for key in KEYS[file.metric]:
                _check_key(path, opened, key, file)
    except OSError as error:
        raise LayoutError(path, f"not a complete HDF5 file ({error}).") from error


def _check_key(path: Path, opened: h5py.File, key: str, file: files.OfficialFile) -> None:
    if not isinstance(opened.get(key), h5py.Dataset):
        found = ", ".join(map(repr, opened)) or "nothing"
        raise LayoutError(path, f"has no HDF5 dataset {key!r} (it has {found}).")
    lengths, shape = file_lengths(file), opened[key].shape
    if len(shape) != len(lengths):
        raise LayoutError(path, f"{key!r} has {len(shape)} axes instead of "
                                f"{len(lengths)} ({', '.join(lengths)}).")
    wrong = [f"{found} {axis}s instead of {expected}"
             for (axis, expected), found in zip(lengths.items(), shape, strict=True)
             if found != expected]
    if wrong:
        raise LayoutError(path, f"{key!r} has " + ", ".join(wrong) + ".")
    kinds = "OS" if key == MESSAGE_KEY else "fiub"
    if opened[key].dtype.kind not in kinds:
        raise LayoutError(path, f"{key!r} holds {opened[key].dtype}, not "
                                + ("text." if kinds == "OS" else "numbers."))


def container_lengths(datasets: int, learner_set: str, axes: Iterable[str]) -> dict[str, int]:
    """Return the length of some dims for the learners of one set, as in the container's order."""
    lengths = {
        "dataset": datasets, "learner": len(files.LEARNER_SETS[learner_set]),
        "scaling": len(SCALINGS), "leakage": len(LEAKAGES), "outer": len(SEEDS),
        "inner": len(SEEDS), "anchor": len(anchor_grid()), "split": len(SPLITS),
    }
    return {d: lengths[d] for d in DIMS if d in axes}


# Curves are mostly asked for by dataset, scaling, leakage and split: chunks of one scaling,
# leakage and split each mean that nothing else is read. Five datasets of 24 learners: 3 MB.
DATASETS_PER_CHUNK = 5
WHOLE = ("learner", "outer", "inner", "anchor")


@dataclass(frozen=True)
class Stored:
    """An array on disk that is read piece by piece, with its axes put in the order of `DIMS`.

    The file is opened for each piece, so that an instance can be pickled and leaves no handle.

    Attributes
    ----------
    path : Path
        HDF5 file.
    key : str
        HDF5 dataset in it.
    axes : tuple of str
        Its axes in the file's order.
    rows : tuple of int
        Positions along the file's dataset axis that are wanted, ascending.
    shape : tuple of int
        Lengths in the order of `dims`, `rows` counted.
    dtype : numpy.dtype
        Type of the values; ``object`` for text, which is decoded.
    """

    path: Path
    key: str
    axes: tuple[str, ...]
    rows: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def dims(self) -> tuple[str, ...]:
        """Its axes in the container's order."""
        return tuple(d for d in DIMS if d in self.axes)

    def __dask_tokenize__(self) -> tuple:
        changed = self.path.stat()
        return (str(self.path), changed.st_mtime_ns, changed.st_size, self.key, self.rows)

    def __getitem__(self, index: Sequence[slice | int]) -> np.ndarray:
        single = tuple(0 if isinstance(i, Integral) else slice(None) for i in index)
        pieces = [slice(i, i + 1) if isinstance(i, Integral) else i for i in index]
        where = dict(zip(self.dims, pieces, strict=True))
        # The last axes are read whole and cut here: HDF5 picks every eighteenth number seven times
        # as slowly. One dataset at a time, since that takes the memory of all it has.
        cut = tuple(slice(None) if axis in (*WHOLE, "dataset") else where[axis]
                    for axis in self.axes)
        try:
            with h5py.File(self.path, "r") as opened:
                values = np.concatenate([opened[self.key][self._place(row, where)][cut]
                                         for row in np.array(self.rows)[where["dataset"]]],
                                        axis=self.axes.index("dataset"))
        except (OSError, KeyError) as error:
            raise LayoutError(self.path, f"its curves cannot be read ({error}).") from error
        if self.dtype == object:
            values = _decoded(values)
        return values.transpose([self.axes.index(d) for d in self.dims])[single]

    def _place(self, row: int, where: dict[str, slice]) -> tuple[slice, ...]:
        """Return what is read of a dataset: wanted learners, repeats and anchors."""
        return tuple(slice(row, row + 1) if axis == "dataset" else
                     where[axis] if axis in WHOLE else slice(None) for axis in self.axes)


def open_stored(path: Path, key: str, axes: tuple[str, ...], rows: Sequence[int]) -> da.Array:
    """Return an HDF5 dataset as a lazy array over the container's dims that it has.

    Parameters
    ----------
    path : Path
        HDF5 file, its layout checked.
    key : str
        HDF5 dataset in it.
    axes : tuple of str
        Its axes in the file's order.
    rows : sequence of int
        Positions along the file's dataset axis that are wanted, ascending.

    Returns
    -------
    dask.array.Array
        Chunks of `DATASETS_PER_CHUNK` datasets and one scaling, leakage and split.
    """
    with h5py.File(path, "r") as opened:
        lengths = dict(zip(axes, opened[key].shape, strict=True)) | {"dataset": len(rows)}
        dtype = opened[key].dtype
    lengths = {d: lengths[d] for d in DIMS if d in axes}
    stored = Stored(path, key, axes, tuple(map(int, rows)), tuple(lengths.values()),
                    np.dtype(object) if dtype.kind in "OS" else dtype)
    return da.from_array(stored, chunks=chunks(lengths), asarray=True, lock=False,
                         meta=np.empty((0,) * len(lengths), stored.dtype))


def chunks(lengths: dict[str, int]) -> tuple[int, ...]:
    """Return the chunk length along each of some dims, of given lengths."""
    size = {d: lengths[d] for d in WHOLE} | {"dataset": DATASETS_PER_CHUNK}
    return tuple(size.get(d, 1) for d in lengths)


def padded(array: da.Array, lengths: dict[str, int], fill: object) -> da.Array:
    """Return `array` with `fill` after its end along each dim that is shorter than `lengths`.

    Parameters
    ----------
    array : dask.array.Array
        Over the dims that `lengths` names, in that order.
    lengths : dict of str to int
        Wanted length of each dim.
    fill : object
        What the new places hold, as a value of the array's type.
    """
    for axis, (dim, length) in enumerate(lengths.items()):
        missing = dict(zip(lengths, array.shape, strict=True)) | {dim: length - array.shape[axis]}
        if missing[dim]:
            array = da.concatenate([array, blank(missing, fill)], axis=axis)
    return array


def blank(lengths: dict[str, int], fill: object) -> da.Array:
    """Return an array that holds `fill` alone, in the same chunks as what is read."""
    return da.full(tuple(lengths.values()), fill, dtype=np.asarray(fill).dtype,
                   chunks=chunks(lengths))


def _decoded(values: np.ndarray) -> np.ndarray:
    """Return text for UTF-8 bytes; what is no valid UTF-8 shows as a replacement character."""
    text = np.empty(values.shape, object)
    text.flat = [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v)
                 for v in values.flat]
    return text
