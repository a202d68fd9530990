"""Predictions and labels of a TabRepo repository: memory maps and zipped CSV files."""

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analysis.databases.tabrepo.layout import Layout, TabRepoError
from collection.store.evaluation_reader import NoPredictionsError

SPLITS = {"valid": "val", "test": "test"}  # our names, and theirs
TYPES = {"float16": "<f2", "float32": "<f4", "float64": "<f8"}  # bytes are little-endian


@dataclass(frozen=True)
class TaskFolder:
    """The predictions of one dataset's fold.

    Attributes
    ----------
    folder : Path
    dataset : str
    fold : int
    models : tuple of str
        Configs in the order of the first axis, another one in every task.
    shapes : dict of str to tuple of int
        By split: (config, row) or (config, row, class).
    dtype : str
    """

    folder: Path
    dataset: str
    fold: int
    models: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]
    dtype: str

    def open(self, split: str) -> np.ndarray:
        """Return all predictions of a split as a memory map.

        Raises
        ------
        TabRepoError
            If the file is absent, or longer or shorter than its shape says.
        """
        path, shape = self.folder / f"pred-{SPLITS[split]}.dat", self.shapes[split]
        if not path.is_file():
            raise TabRepoError(f"{path} is absent.")
        expected = int(np.prod(shape)) * np.dtype(self.dtype).itemsize
        if path.stat().st_size != expected:
            raise TabRepoError(f"{path} has {path.stat().st_size:,} bytes, but {expected:,} are "
                               f"expected for {shape} numbers of {self.dtype}: it was cut short or "
                               "is of something else. Fetch or write it again.")
        return np.memmap(path, self.dtype, "r", shape=shape)

    def predictions(self, split: str, configs: list[str]) -> np.ndarray:
        """Return the predictions of some configs, in that order; no others are read.

        Two classes in two columns come as the second.
        """
        places = {name: place for place, name in enumerate(self.models)}
        absent = [name for name in configs if name not in places]
        if absent:
            some = ", ".join(absent[:5]) + (" …" if len(absent) > 5 else "")
            raise NoPredictionsError(
                f"{self.dataset}, fold {self.fold}: there are no predictions of {some}. Leave them "
                "out, or name a fallback config.")
        values = np.array(self.open(split)[[places[name] for name in configs]])
        return values[:, :, 1] if values.ndim == 3 and values.shape[2] == 2 else values

    def labels(self, split: str) -> tuple[np.ndarray, np.ndarray]:
        """Return labels (class numbers or numbers) and the rows' numbers in the dataset.

        Raises
        ------
        NoPredictionsError
            If no labels are stored.
        TabRepoError
            If the file cannot be read, or holds another number of rows than the predictions.
        """
        path = self.folder / f"label-{SPLITS[split]}.csv.zip"
        if not path.is_file():
            raise NoPredictionsError(f"{self.dataset}, fold {self.fold}: the labels are not "
                                         f"stored ({path} is absent).")
        rows = _read_csv(path)
        if len(rows) != self.shapes[split][1]:
            raise TabRepoError(f"{path} has {len(rows)} labels, but predictions are of "
                               f"{self.shapes[split][1]} rows.")
        return _as_labels([row[1] for row in rows], path), np.array([int(row[0]) for row in rows])


def find_folders(layout: Layout) -> dict[tuple[str, int], TaskFolder]:
    """Return the folders of predictions by dataset and fold, as their metadata name them."""
    found = {}
    if layout.listed:
        names = [n for n in layout.listed if n.endswith("metadata.json")]
        files = [layout.folder / name for name in names]
    else:
        files = sorted(layout.predictions.glob("*/*/metadata.json"))
    for path in files:
        task = _read_folder(path)
        if (task.dataset, task.fold) in found:
            raise TabRepoError(f"{path} and {found[task.dataset, task.fold].folder} both say they "
                               f"are of {task.dataset}, fold {task.fold}.")
        found[task.dataset, task.fold] = task
    return found


def _read_folder(path: Path) -> TaskFolder:
    try:
        said = json.loads(path.read_text())
        shapes = {ours: tuple(int(n) for n in said[f"pred_{theirs}_shape"])
                  for ours, theirs in SPLITS.items()}
        task = TaskFolder(path.parent, str(said["dataset"]), int(said["fold"]),
                          tuple(said["models"]), shapes, TYPES[said["dtype"]])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise TabRepoError(f"{path} does not describe predictions: {error!r}.") from error
    if any(len(shape) not in (2, 3) or shape[0] != len(task.models) for shape in shapes.values()):
        raise TabRepoError(f"{path} names {len(task.models)} models, but predictions of the shapes "
                           f"{list(shapes.values())}.")
    return task


def _read_csv(path: Path) -> list[list[str]]:
    """Return the rows of the one CSV file in an archive, without its head."""
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(path.name.removesuffix(".zip")).decode()
        rows = list(csv.reader(io.StringIO(text)))[1:]
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise TabRepoError(f"{path} holds no labels that can be read: {error}.") from error
    if any(len(row) != 2 for row in rows):
        raise TabRepoError(f"{path} has rows without a row number and a label.")
    return rows


def _as_labels(values: list[str], path: Path) -> np.ndarray:
    """Return whole numbers where all are written so, else numbers read to the last digit."""
    try:
        return np.array([int(v) for v in values])
    except ValueError:
        pass
    try:
        return np.array([float(v) for v in values])
    except ValueError as error:
        raise TabRepoError(f"{path} has labels that are not numbers: {error}.") from error
