"""The official files in a folder, and the arrays that they make together."""

from pathlib import Path

import dask.array as da
import numpy as np

from analysis.databases.lcdb11.files import (
    LEARNER_SETS,
    MESSAGE,
    OfficialFile,
    dataset_ids,
    official_files,
)
from analysis.databases.lcdb11.layout import (
    FEWER,
    KEYS,
    STATUS_KEY,
    check_layout,
    container_lengths,
    file_axes,
    file_lengths,
)
from analysis.databases.lcdb11.lazy import blank, open_stored, padded
from analysis.databases.lcdb11.reasons import Reason, apparent_reasons, recorded_reasons
from analysis.databases.lcdb11.verified import verify
from analysis.records.at_hand import NotAtHandError
from collection.container import DIMS, FIT_DIMS, METRICS, SCALINGS, SPLITS
from collection.naming import check_known


class Shelf:
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
        self.folder, self.datasets = folder, dataset_ids(selection)
        self._files = _usable_files(folder, selection)
        curves = [f for f in self._files if f.metric != MESSAGE]
        self.metrics = [m for m in METRICS if any(m == f.metric for f in curves)]
        self._sets = [s for s in LEARNER_SETS if any(s == f.learners for f in curves)]
        self.learners = [name for s in self._sets for name in LEARNER_SETS[s]]
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
        scalings = {s: FEWER.get(s, {}).get("scaling", len(SCALINGS)) for s in self._sets}
        return np.array([[k < scalings[s] for k in range(len(SCALINGS))]
                         for s in self._sets for _ in LEARNER_SETS[s]])

    def reasons(self) -> da.Array:
        """Return `Reason` per fit over `FIT_DIMS`, anchors past the training set not yet marked.

        From the file of messages where it covers the learner, and else from whether the first
        metric that there is for it has a value on the validation set.
        """
        return self._joined([self._reasons(s) for s in self._sets], FIT_DIMS,
                            np.int8(Reason.not_published))

    def _reasons(self, learner_set: str) -> da.Array:
        codes = self._stored(MESSAGE, STATUS_KEY, learner_set)
        if codes is not None:
            return codes.map_blocks(recorded_reasons, dtype=np.int8)
        metric = next(m for m in self.metrics if self._file(m, learner_set))
        values = self._stored(metric, KEYS[metric][0], learner_set)
        if "split" in file_axes(metric):
            values = values[..., SPLITS.index("valid")]
        return values.map_blocks(apparent_reasons, dtype=np.int8)

    def _joined(self, arrays: list[da.Array | None], axes: tuple[str, ...], fill) -> da.Array:
        """Return the learner sets' arrays as one, each brought to the container's lengths."""
        parts = []
        for learner_set, array in zip(self._sets, arrays, strict=True):
            lengths = container_lengths(len(self.datasets), learner_set, axes)
            parts.append(blank(lengths, fill) if array is None else padded(array, lengths, fill))
        return da.concatenate(parts, axis=DIMS.index("learner"))

    def _stored(self, metric: str, key: str, learner_set: str) -> da.Array | None:
        file = self._file(metric, learner_set)
        if file is None:
            return None
        rows = np.flatnonzero(np.isin(dataset_ids(file.datasets), self.datasets))
        return open_stored(self.folder / file.name, key, file_axes(metric), rows)

    def _file(self, metric: str, learner_set: str) -> OfficialFile | None:
        """Return the smallest file that has a metric of some learners."""
        those = [f for f in self._files if (f.metric, f.learners) == (metric, learner_set)]
        return min(those, key=lambda f: file_lengths(f)["dataset"], default=None)


def _usable_files(folder: Path, selection: str) -> list[OfficialFile]:
    """Return the published files in `folder` that have every dataset of a selection."""
    published = {f.name: f for f in official_files()}
    present = sorted(p.name for p in folder.glob("LCDB11_*.hdf5"))
    check_known("official file", [folder / n for n in present if n not in published], published)
    wanted = set(dataset_ids(selection))
    usable = [f for name, f in published.items()
              if name in present and wanted <= set(dataset_ids(f.datasets))]
    if all(f.metric == MESSAGE for f in usable):
        others = f" It has {', '.join(present)}." if present else ""
        if selection == "FULL" and any("CC18" in name for name in present):
            others += " The database `lcdb11-cc18` is those of OpenML-CC18."
        raise NotAtHandError(
            f"{folder} has no file with LCDB 1.1 curves of the selection {selection}.{others} "
            "Fetch some with `make lcdb11`, or name the folder that has LCDB11_*.hdf5.")
    for file in usable:
        check_layout(folder / file.name, file)
        verify(folder / file.name, file.sha256)
    return usable
