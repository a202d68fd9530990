"""How the official HDF5 files are laid out, and whether a given file is.

The authors' axes are dataset, learner, outer, inner, anchor, split, scaling, leakage; times,
statuses and messages lack split.
"""

from collections.abc import Iterable
from pathlib import Path

import h5py

from analysis.databases.lcdb11.files import LEARNER_SETS, MESSAGE, OfficialFile, dataset_ids
from collection.anchors import anchor_grid
from collection.container import DIMS, LEAKAGES, METRICS, SCALINGS, SEEDS, SPLITS

AXES = ("dataset", "learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
STATUS_KEY, MESSAGE_KEY = "status", "error message"
KEYS = {
    "error_rate": ("error rate",),
    "auc": ("AUC",),
    "f1": ("f1",),
    "log_loss": ("log-loss",),
    "train_time": ("traintime",),
    MESSAGE: (STATUS_KEY, MESSAGE_KEY),
}
# Learner sets that were computed for the first scalings and leakages only.
FEWER = {
    "catboost": {"scaling": 1, "leakage": 1}, "realmlp": {"scaling": 1, "leakage": 1},
    "tabnet": {"scaling": 1, "leakage": 1}, "tabpfn": {"leakage": 1},
}


class LayoutError(ValueError):
    """A file that is not what its name promises; the message names the file and what to do."""

    def __init__(self, path: Path, problem: str):
        super().__init__(f"{path}: {problem} Remove the file and fetch it again with "
                         "`make lcdb11`, or check where it came from.")


def file_axes(metric: str) -> tuple[str, ...]:
    """Return the axes of a metric's file in the authors' order."""
    has_split = metric in METRICS and "split" in METRICS[metric].dims
    return AXES if has_split else tuple(a for a in AXES if a != "split")


def file_lengths(file: OfficialFile) -> dict[str, int]:
    """Return the length of every axis of a file, in the authors' order."""
    lengths = container_lengths(len(dataset_ids(file.datasets)), file.learners, AXES)
    lengths |= FEWER.get(file.learners, {})
    return {axis: lengths[axis] for axis in file_axes(file.metric)}


def check_layout(path: Path, file: OfficialFile) -> None:
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


def _check_key(path: Path, opened: h5py.File, key: str, file: OfficialFile) -> None:
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
        "dataset": datasets, "learner": len(LEARNER_SETS[learner_set]), "scaling": len(SCALINGS),
        "leakage": len(LEAKAGES), "outer": len(SEEDS), "inner": len(SEEDS),
        "anchor": len(anchor_grid()), "split": len(SPLITS),
    }
    return {d: lengths[d] for d in DIMS if d in axes}
