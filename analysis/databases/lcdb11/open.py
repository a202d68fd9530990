"""Open the official HDF5 files of LCDB 1.1, whichever are there, as one lazy container.

The authors' axes are dataset, learner, outer, inner, anchor, split, scaling, leakage; times,
statuses and messages lack split. Whether a given file is laid out so is checked.
"""

from collections.abc import Callable
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
#: Of every file, but for `FEWER`.
LABELS = {"scaling": SCALINGS, "leakage": LEAKAGES, "outer": SEEDS, "inner": SEEDS,
          "anchor": anchor_grid(), "split": SPLITS}
LENGTHS = {axis: len(labels) for axis, labels in LABELS.items()}
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
    lengths = LENGTHS | FEWER.get(file.learners, {}) | {
        "dataset": len(files.dataset_ids(file.datasets)),
        "learner": len(files.LEARNER_SETS[file.learners])}
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
    if shape != tuple(lengths.values()):
        expected = ", ".join(f"{length} {axis}s" for axis, length in lengths.items())
        raise LayoutError(path, f"{key!r} has the lengths {shape}, not {expected}.")
    kinds = "OS" if key == MESSAGE_KEY else "fiub"
    if opened[key].dtype.kind not in kinds:
        raise LayoutError(path, f"{key!r} holds {opened[key].dtype}, not "
                                + ("text." if kinds == "OS" else "numbers."))


# Curves are mostly asked for by dataset, scaling, leakage and split: blocks of one scaling,
# leakage and split each mean that nothing else is kept. Five datasets of 24 learners: 3 MB.
DATASETS_PER_BLOCK = 5
ONE_BY_ONE = ("scaling", "leakage", "split")


# Two datasets, 1088 and 41972, have some values there; see `collection.official.lcdb11`.
PAST_END = "the anchor exceeds the training set; a value here is stray"
#: What is known of a fit from the files at hand, by number: its status, and the message. The first
#: three are the codes of the files.
REASONS = (
    (Status.ok, ""),
    (Status.timeout, "timeout, see error_message"),
    (Status.error, "error, see error_message"),
    (Status.not_run, PAST_END),
    (Status.not_run, "not published for this learner, scaling and leakage"),
    (Status.error, "no value, and no file of messages that covers it"),
    (Status.error, "a status that the published layout does not describe"),
)
OK, PAST, NOT_PUBLISHED, UNEXPLAINED, UNKNOWN_CODE = 0, *range(3, len(REASONS))
STATUS_OF = np.array([status for status, _ in REASONS], np.int8)


def recorded_reasons(codes: np.ndarray) -> np.ndarray:
    """Return the reason for each code of a ``status`` array of the files."""
    return np.where(np.isin(codes, range(PAST)), codes, UNKNOWN_CODE).astype(np.int8)


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
        self.metrics = [m for m in METRICS if any(m == f.metric for f in curves)]
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
        return self._lazily(file_axes(metric), lambda at: self._block(metric, key, at), fill)

    def published(self) -> np.ndarray:
        """Tell for which scalings each learner was published, shape (n_learners, n_scalings)."""
        return np.array([np.arange(len(SCALINGS)) < (LENGTHS | FEWER.get(s, {}))["scaling"]
                         for s in self._sets for _ in files.LEARNER_SETS[s]])

    def reasons(self) -> da.Array:
        """Return what is known of each fit over `FIT_DIMS`, positions in `REASONS`.

        From the file of messages where it covers the learner, and else from whether the first
        metric that there is for it has a value on the validation set. Past the end of a dataset
        that alone is told.
        """
        found = self._lazily(FIT_DIMS, self._reasons, np.int8(NOT_PUBLISHED))
        ends = files.datasets_table().loc[self.datasets, "max_anchor"].to_numpy()
        past = np.expand_dims(anchor_grid() > ends[:, None], tuple(range(1, len(FIT_DIMS) - 1)))
        return da.where(past, np.int8(PAST), found)

    def _reasons(self, at: dict[str, int]) -> np.ndarray | None:
        learner_set = self._sets[at["learner"]]
        if self._file(files.MESSAGE, learner_set):
            codes = self._block(files.MESSAGE, STATUS_KEY, at)
            return None if codes is None else recorded_reasons(codes)
        metric = next(m for m in self.metrics if self._file(m, learner_set))
        values = self._block(metric, KEYS[metric][0], at | {"split": SPLITS.index("valid")})
        if values is None:
            return None
        values = values[..., 0] if "split" in file_axes(metric) else values
        return np.where(np.isfinite(values), OK, UNEXPLAINED)

    def _lazily(self, axes: tuple[str, ...], block: Callable[[dict[str, int]], np.ndarray | None],
                fill: object) -> da.Array:
        """Return an array over the container's dims of which each block is read when it is used.

        `block` takes the block's place along each dim; where it returns None, all is `fill`.
        """
        dims = [dim for dim in DIMS if dim in axes]
        lengths = LENGTHS | {"dataset": len(self.datasets), "learner": len(self.learners)}
        chunks = da.core.normalize_chunks(
            [DATASETS_PER_BLOCK if dim == "dataset" else 1 if dim in ONE_BY_ONE else
             tuple(len(files.LEARNER_SETS[s]) for s in self._sets) if dim == "learner" else -1
             for dim in dims], [lengths[dim] for dim in dims])
        dtype = np.asarray(fill).dtype

        def read(block_id: tuple[int, ...]) -> np.ndarray:
            found = block(dict(zip(dims, block_id, strict=True)))
            shape = [sizes[k] for sizes, k in zip(chunks, block_id, strict=True)]
            return np.full(shape, fill) if found is None else found.astype(dtype, copy=False)

        return da.map_blocks(read, chunks=chunks, meta=np.empty((0,) * len(dims), dtype))

    def _block(self, metric: str, key: str, at: dict[str, int]) -> np.ndarray | None:
        """Return a block of an HDF5 dataset, in the container's order; None where it has not it.

        The last axes are read whole and cut here: HDF5 picks every eighteenth number seven times
        as slowly. One dataset at a time, since that takes the memory of all it has.
        """
        file, axes = self._file(metric, self._sets[at["learner"]]), file_axes(metric)
        if file is None or any(at[axis] >= file_lengths(file)[axis] for axis in ONE_BY_ONE[:2]):
            return None
        begin = at["dataset"] * DATASETS_PER_BLOCK
        there = files.dataset_ids(file.datasets)
        rows = [there.index(k) for k in self.datasets[begin:begin + DATASETS_PER_BLOCK]]
        cut = tuple(slice(at[axis], at[axis] + 1) if axis in ONE_BY_ONE else slice(None)
                    for axis in axes)
        path = self.folder / file.name
        try:
            with h5py.File(path, "r") as opened:
                values = np.concatenate([opened[key][row:row + 1][cut] for row in rows])
        except (OSError, KeyError) as error:
            raise LayoutError(path, f"its curves cannot be read ({error}).") from error
        if key == MESSAGE_KEY:  # what is no UTF-8 shows as a replacement character
            values = np.char.decode(values.astype("S"), "utf-8", "replace").astype(object)
        return values.transpose([axes.index(dim) for dim in DIMS if dim in axes])

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
    reasons = shelf.reasons()
    container = containers.build_container(
        LABELS | {"dataset": shelf.datasets, "learner": shelf.learners},
        {m: shelf.read(m, KEYS[m][0], np.nan) for m in shelf.metrics},
        status=reasons.map_blocks(STATUS_OF.__getitem__, dtype=np.int8), message=reasons,
        messages=[text for _, text in REASONS], database="lcdb11", datasets=datasets,
        source=str(shelf.folder))
    if shelf.has_messages:
        texts = shelf.read(files.MESSAGE, MESSAGE_KEY, _NO_TEXT)
        container["error_message"] = (FIT_DIMS, texts, {"long_name": "recorded message of the fit"})
    return container.assign_coords(name=("dataset", described["name"].tolist()),
                                   tried=(("learner", "scaling"), shelf.published()))
