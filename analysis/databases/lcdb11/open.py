"""Open the official HDF5 files of LCDB 1.1, whichever are there, as one lazy container."""

from enum import IntEnum
from pathlib import Path

import dask.array as da
import numpy as np
import xarray as xr

from analysis.databases.lcdb11 import files, layout
from analysis.published.computed import NotAtHandError
from collection.containers import curves as containers
from collection.containers.curves import DIMS, FIT_DIMS, Status
from collection.project.naming import check_known
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS


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
# Two datasets, 1088 and 41972, have some values there; see `analysis.databases.lcdb11.files`.
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
        axes = layout.file_axes(metric)
        stored = [self._stored(metric, key, s) for s in self._sets]
        return self._joined(stored, axes, fill)

    def published(self) -> np.ndarray:
        """Tell for which scalings each learner was published, shape (n_learners, n_scalings)."""
        every = len(containers.SCALINGS)
        scalings = {s: layout.FEWER.get(s, {}).get("scaling", every) for s in self._sets}
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
        codes = self._stored(files.MESSAGE, layout.STATUS_KEY, learner_set)
        if codes is not None:
            return codes.map_blocks(recorded_reasons, dtype=np.int8)
        metric = next(m for m in self.metrics if self._file(m, learner_set))
        values = self._stored(metric, layout.KEYS[metric][0], learner_set)
        if "split" in layout.file_axes(metric):
            values = values[..., containers.SPLITS.index("valid")]
        return values.map_blocks(apparent_reasons, dtype=np.int8)

    def _joined(self, arrays: list[da.Array | None], axes: tuple[str, ...], fill) -> da.Array:
        """Return the learner sets' arrays as one, each brought to the container's lengths."""
        parts = []
        for learner_set, array in zip(self._sets, arrays, strict=True):
            lengths = layout.container_lengths(len(self.datasets), learner_set, axes)
            parts.append(layout.blank(lengths, fill) if array is None
                         else layout.padded(array, lengths, fill))
        return da.concatenate(parts, axis=DIMS.index("learner"))

    def _stored(self, metric: str, key: str, learner_set: str) -> da.Array | None:
        file = self._file(metric, learner_set)
        if file is None:
            return None
        rows = np.flatnonzero(np.isin(files.dataset_ids(file.datasets), self.datasets))
        return layout.open_stored(self.folder / file.name, key, layout.file_axes(metric), rows)

    def _file(self, metric: str, learner_set: str) -> files.OfficialFile | None:
        """Return the smallest file that has a metric of some learners."""
        those = [f for f in self._files if (f.metric, f.learners) == (metric, learner_set)]
        return min(those, key=lambda f: layout.file_lengths(f)["dataset"], default=None)


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
        layout.check_layout(folder / file.name, file)
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
        coords, {m: shelf.read(m, layout.KEYS[m][0], np.nan) for m in shelf.metrics},
        status=reasons.map_blocks(STATUS_OF.__getitem__, dtype=np.int8), message=reasons,
        messages=MESSAGES, database="lcdb11", datasets=datasets, source=str(shelf.folder),
    )
    if shelf.has_messages:
        texts = shelf.read(files.MESSAGE, layout.MESSAGE_KEY, _NO_TEXT)
        container["error_message"] = (FIT_DIMS, texts, {"long_name": "recorded message of the fit"})
    return container.assign_coords(name=("dataset", described["name"].tolist()),
                                   tried=(("learner", "scaling"), shelf.published()))
