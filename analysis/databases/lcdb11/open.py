"""Open the official HDF5 files of LCDB 1.1, whichever are there, as one lazy container.

The authors' axes are dataset, learner, outer, inner, anchor, split, scaling, leakage; times,
statuses and messages lack split. Whether a given file is laid out so is checked.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from numbers import Integral
from pathlib import Path

import dask.array as da
import h5py
import numpy as np
import xarray as xr

from analysis.published.computed import NotAtHandError
from collection.containers import curves as containers
from collection.containers.curves import DIMS, FIT_DIMS, LEAKAGES, METRICS, SCALINGS, SPLITS, Status
from collection.official import lcdb11 as files
from collection.official.lcdb11 import LayoutError
from collection.project.naming import check_known
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS

AXES = ("dataset", "learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
STATUS_KEY, MESSAGE_KEY = "status", "error message"
KEYS = {"error_rate": ("error rate",), "auc": ("AUC",), "f1": ("f1",), "log_loss": ("log-loss",),
        "train_time": ("traintime",), files.MESSAGE: (STATUS_KEY, MESSAGE_KEY)}
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


class Reason(IntEnum):
    """What is known of a fit from the files at hand; positions in `STATUS_OF` and `MESSAGES`."""

    ok = 0
    timeout = 1
    error = 2
    past_end = 3
    not_published = 4
    unexplained = 5
    unknown_code = 6


STATUS_OF = np.array([Status.ok, Status.timeout, Status.error, Status.not_run, Status.not_run,
                      Status.error, Status.error], np.int8)
# Two datasets, 1088 and 41972, have some values there; see `collection.official.lcdb11`.
PAST_END = "the anchor exceeds the training set; a value here is stray"
MESSAGES = (
    "",
    "timeout, see error_message",
    "error, see error_message",
    PAST_END,
    "not published for this learner, scaling and leakage",
    "no value, and no file of messages that covers it",
    "a status that the published layout does not describe",
)
RECORDED = (Reason.ok, Reason.timeout, Reason.error)  # whose numbers are the codes of the files


def recorded_reasons(codes: np.ndarray) -> np.ndarray:
    """Return the reason for each code of a ``status`` array of the files."""
    return np.where(np.isin(codes, RECORDED), codes, Reason.unknown_code).astype(np.int8)


def apparent_reasons(values: np.ndarray) -> np.ndarray:
    """Return the reason for each value of a metric where no status was recorded."""
    return np.where(np.isfinite(values), Reason.ok, Reason.unexplained).astype(np.int8)


def cut_at_end(reasons: da.Array, anchors: np.ndarray, max_anchor: np.ndarray) -> da.Array:
    """Return `reasons` over `FIT_DIMS`, with ``past_end`` where an anchor exceeds the data.

    Parameters
    ----------
    reasons : dask.array.Array
        `Reason` per fit, over `FIT_DIMS`.
    anchors : ndarray of int, shape (n_anchors,)
        Training-set sizes, in rows.
    max_anchor : ndarray of int, shape (n_datasets,)
        Largest training set of each dataset, in rows.
    """
    past = anchors > max_anchor[:, None]
    past = past.reshape(len(max_anchor), *(1,) * (reasons.ndim - 2), len(anchors))
    lazily = da.from_array(past, chunks=(reasons.chunks[0], *((1,),) * (reasons.ndim - 2), -1))
    return da.where(lazily, np.int8(Reason.past_end), reasons)


class OfficialFiles:
    """The files of one folder that hold a selection of datasets, their layout checked.

    Parameters
    ----------
    folder : Path
        Where the files lie under their published names.
    selection : {"FULL", "CC18"}
        Which datasets are wanted.

    Attributes
    ----------
    datasets : list of int
        OpenML ids in the files' order.
    metrics, learners : list of str
        What the files hold, in the order of the container and of the publication.
    has_messages : bool
        Whether a file of statuses and messages is there.
    """

    def __init__(self, folder: Path, selection: str):
        self.folder, self.datasets = folder, files.dataset_ids(selection)
        self._files = _usable_files(folder, selection)
        curves = [f for f in self._files if f.metric != files.MESSAGE]
        self.metrics = [m for m in containers.METRICS if any(m == f.metric for f in curves)]
        self._sets = [s for s in files.LEARNER_SETS if any(s == f.learners for f in curves)]
        self.learners = [name for s in self._sets for name in files.LEARNER_SETS[s]]
        self.has_messages = len(curves) < len(self._files)

    def read(self, metric: str, key: str, fill: object) -> da.Array:
        """Return an HDF5 dataset for all learners, lazily.

        Parameters
        ----------
        metric : str
            A metric, or ``message``.
        key : str
            Name of the HDF5 dataset.
        fill : object
            What stands where no file has a learner, scaling or leakage.

        Returns
        -------
        dask.array.Array
            Over the dims of `metric` in the container's order.
        """
        axes = file_axes(metric)
        stored = [self._stored(metric, key, s) for s in self._sets]
        return self._joined(stored, axes, fill)

    def published(self) -> np.ndarray:
        """Tell for which scalings each learner was published, shape (n_learners, n_scalings)."""
        every = len(containers.SCALINGS)
        scalings = {s: FEWER.get(s, {}).get("scaling", every) for s in self._sets}
        return np.array([[k < scalings[s] for k in range(every)]
                         for s in self._sets for _ in files.LEARNER_SETS[s]])

    def reasons(self) -> da.Array:
        """Return `Reason` per fit over `FIT_DIMS`, anchors past the training set not yet marked.

        From the file of messages where it covers the learner, and else from whether the first
        metric that there is for it has a value on the validation set.
        """
        return self._joined([self._reasons(s) for s in self._sets], FIT_DIMS,
                            np.int8(Reason.not_published))

    def _reasons(self, learner_set: str) -> da.Array:
        codes = self._stored(files.MESSAGE, STATUS_KEY, learner_set)
        if codes is not None:
            return codes.map_blocks(recorded_reasons, dtype=np.int8)
        metric = next(m for m in self.metrics if self._file(m, learner_set))
        values = self._stored(metric, KEYS[metric][0], learner_set)
        if "split" in file_axes(metric):
            values = values[..., containers.SPLITS.index("valid")]
        return values.map_blocks(apparent_reasons, dtype=np.int8)

    def _joined(self, arrays: list[da.Array | None], axes: tuple[str, ...], fill) -> da.Array:
        """Return the learner sets' arrays as one, each brought to the container's lengths."""
        parts = []
        for learner_set, array in zip(self._sets, arrays, strict=True):
            lengths = container_lengths(len(self.datasets), learner_set, axes)
            parts.append(blank(lengths, fill) if array is None
                         else padded(array, lengths, fill))
        return da.concatenate(parts, axis=DIMS.index("learner"))

    def _stored(self, metric: str, key: str, learner_set: str) -> da.Array | None:
        file = self._file(metric, learner_set)
        if file is None:
            return None
        rows = np.flatnonzero(np.isin(files.dataset_ids(file.datasets), self.datasets))
        return open_stored(self.folder / file.name, key, file_axes(metric), rows)

    def _file(self, metric: str, learner_set: str) -> files.OfficialFile | None:
        """Return the smallest file that has a metric of some learners."""
        those = [f for f in self._files if (f.metric, f.learners) == (metric, learner_set)]
        return min(those, key=lambda f: file_lengths(f)["dataset"], default=None)


def _usable_files(folder: Path, selection: str) -> list[files.OfficialFile]:
    """Return the published files in `folder` that have every dataset of a selection."""
    published = {f.name: f for f in files.official_files()}
    present = sorted(p.name for p in folder.glob("LCDB11_*.hdf5"))
    check_known("official file", [folder / n for n in present if n not in published], published)
    wanted = set(files.dataset_ids(selection))
    usable = [f for name, f in published.items()
              if name in present and wanted <= set(files.dataset_ids(f.datasets))]
    if all(f.metric == files.MESSAGE for f in usable):
        others = f" It has {', '.join(present)}." if present else ""
        if selection == "FULL" and any("CC18" in name for name in present):
            others += " The database `lcdb11-cc18` is those of OpenML-CC18."
        raise NotAtHandError(
            f"{folder} has no file with LCDB 1.1 curves of the selection {selection}.{others} "
            "Fetch some with `make lcdb11`, or name the folder that has LCDB11_*.hdf5.")
    for file in usable:
        check_layout(folder / file.name, file)
        files.verify(folder / file.name, file.sha256)
    return usable


_NO_TEXT = np.array("", dtype=object)


def open_lcdb11(folder: str | Path | None = None, datasets: str = "FULL") -> xr.Dataset:
    """Open the official files of LCDB 1.1 lazily.

    Parameters
    ----------
    folder : path, optional
        Where the HDF5 files lie under their published names, any subset of them; by default
        where ``make lcdb11`` puts them.
    datasets : {"FULL", "CC18"}
        The 265 datasets or the 72 of OpenML-CC18. Those come from the CC-18 file of a metric
        where it is there, and else from the rows of the file with all datasets.

    Returns
    -------
    Dataset
        The container (`collection.containers.curves`), its variables dask arrays in chunks of a few
        datasets: opening reads no curve, and a selection reads what it needs. One variable per
        metric with a file; NaN past the training set, where a fit failed, and for scalings,
        leakages or learners that were not published. ``dataset`` holds OpenML ids, with
        coordinate ``name``; coordinate ``tried`` (learner, scaling) tells what was published for
        which scaling. Where the file of messages is there, ``error_message`` has the
        recorded text of each fit.

    Raises
    ------
    NotAtHandError
        Where the folder has no file of a metric.
    LayoutError
        For a file that is truncated, not in the official layout, or damaged: its checksum is
        looked at once. Damage that comes later may show when curves are read.
    UnknownNameError
        For an unknown `datasets`, or a file ``LCDB11_*.hdf5`` that was not published.
    """
    shelf = OfficialFiles(files.default_folder() if folder is None else Path(folder), datasets)
    described = files.datasets_table().loc[shelf.datasets]
    reasons = cut_at_end(shelf.reasons(), anchor_grid(), described["max_anchor"].to_numpy())
    coords = {
        "dataset": shelf.datasets, "learner": shelf.learners, "scaling": list(containers.SCALINGS),
        "leakage": list(containers.LEAKAGES), "outer": list(SEEDS), "inner": list(SEEDS),
        "anchor": anchor_grid(), "split": list(containers.SPLITS),
    }
    container = containers.build_container(
        coords, {m: shelf.read(m, KEYS[m][0], np.nan) for m in shelf.metrics},
        status=reasons.map_blocks(STATUS_OF.__getitem__, dtype=np.int8), message=reasons,
        messages=MESSAGES, database="lcdb11", datasets=datasets, source=str(shelf.folder),
    )
    if shelf.has_messages:
        texts = shelf.read(files.MESSAGE, MESSAGE_KEY, _NO_TEXT)
        container["error_message"] = (FIT_DIMS, texts, {"long_name": "recorded message of the fit"})
    return container.assign_coords(name=("dataset", described["name"].tolist()),
                                   tried=(("learner", "scaling"), shelf.published()))
