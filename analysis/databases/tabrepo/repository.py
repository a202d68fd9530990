"""One TabRepo repository: its tables at hand, its predictions on request."""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.tabrepo import layout as layouts
from analysis.databases.tabrepo.contexts import check_tables, default_folder, official_contexts
from analysis.databases.tabrepo.layout import TabRepoError
from collection.project.naming import check_known
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
        labels, numbers = _read_labels(path)
        if len(labels) != self.shapes[split][1]:
            raise TabRepoError(f"{path} has {len(labels)} labels, but predictions are of "
                               f"{self.shapes[split][1]} rows.")
        return labels, numbers


def find_folders(layout: layouts.Layout) -> dict[tuple[str, int], TaskFolder]:
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
        said = json.loads(path.read_text(encoding="utf-8"))
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


def _read_labels(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels, read to the last digit, and row numbers of the CSV file in an archive."""
    try:
        table = pd.read_csv(path, float_precision="round_trip")
        if table.shape[1] != 2:
            raise ValueError("it has rows that are not a row number and a label")
        numbers, labels = table.iloc[:, 0].to_numpy(int), table.iloc[:, 1].to_numpy()
    except (zipfile.BadZipFile, ValueError) as error:
        raise TabRepoError(f"{path} holds no labels that can be read: {error}.") from error
    if labels.dtype.kind not in "if":
        raise TabRepoError(f"{path} has labels that are not numbers.")
    return labels, numbers


class TabRepo:
    """A repository in a folder, as TabRepo's `to_dir` or its official contexts lay it out.

    Parameters
    ----------
    path : str or Path
        See `find_layout`.
    datasets : sequence of str
        Of an official context, the datasets to open; by default all that have predictions.
    infer_time_per_row : bool
        Whether its inference times are per test row, as those of the official contexts.

    Raises
    ------
    TabRepoError
        If files lack, cannot be read or contradict each other.
    UnknownNameError
        If the config that it names as a fallback is none of its own.
    """

    def __init__(self, path: str | Path, datasets: Sequence[str] = (),
                 infer_time_per_row: bool = False):
        self.infer_time_per_row = infer_time_per_row
        self.layout = layouts.find_layout(path)
        check_tables(self.layout.folder)
        self.folders = {task: folder for task, folder in find_folders(self.layout).items()
                        if not datasets or task[0] in datasets}
        predicted = {dataset for dataset, _ in self.folders}
        self.tables = layouts.read_tables(self.layout, predicted or set(datasets))
        self.fallback = self.layout.fallback
        if self.fallback is not None:
            check_known("fallback config", [self.fallback], self.configs)

    @cached_property
    def configs(self) -> list[str]:
        """Names of configs, sorted."""
        return sorted(set(self.tables.configs["framework"]))

    @cached_property
    def baselines(self) -> list[str]:
        """Names of baselines, sorted."""
        return sorted(set(self.tables.baselines["framework"]))

    @property
    def datasets(self) -> list[str]:
        """Names of datasets with results, sorted."""
        return list(self.tables.tids)

    @cached_property
    def folds(self) -> dict[str, list[int]]:
        """The folds of each dataset."""
        both = pd.concat([t[["dataset", "fold"]] for t in (self.tables.configs,
                                                            self.tables.baselines)])
        return {name: sorted(set(group)) for name, group in both.groupby("dataset")["fold"]}

    def predicted(self, dataset: str, fold: int) -> list[str]:
        """Return the configs with results and predictions on a task, in the stored order."""
        known = set(self.configs)
        return [name for name in self._folder(dataset, fold).models if name in known]

    def predictions(self, dataset: str, fold: int, split: str,
                    configs: Sequence[str] | None = None) -> np.ndarray:
        """Return predictions of some configs, in the order asked for; no others are read.

        Parameters
        ----------
        dataset : str
        fold : int
        split : {"valid", "test"}
        configs : sequence of str, optional
            By default those that have predictions.

        Returns
        -------
        ndarray, shape (config, row) or (config, row, class)
            Of class 1 for two classes.

        Raises
        ------
        UnknownNameError
            For an unknown dataset, config or split.
        NoPredictionsError
            If there are none, and no fallback.
        TabRepoError
            If the file is cut short.
        """
        folder = self._folder(dataset, fold, split)
        names = self.predicted(dataset, fold) if configs is None else list(configs)
        check_known("config", names, self.configs)
        if self.fallback in folder.models:
            names = [n if n in folder.models else self.fallback for n in names]
        return folder.predictions(split, names)

    def labels(self, dataset: str, fold: int, split: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a task's labels and the rows' numbers in the dataset; see `TaskFolder.labels`."""
        return self._folder(dataset, fold, split).labels(split)

    def _folder(self, dataset: str, fold: int, split: str = "test") -> TaskFolder:
        check_known("split", [split], SPLITS)
        check_known("dataset", [dataset], self.datasets)
        check_known(f"fold of {dataset}", [fold], self.folds[dataset])
        if (dataset, fold) not in self.folders:
            raise NoPredictionsError(f"No predictions are stored of {dataset}, fold {fold}.")
        return self.folders[dataset, fold]


class NotFetchedError(FileNotFoundError):
    """An official context that is not at hand; the message says how to get it."""


def find_tabrepo(where: str | Path) -> TabRepo | None:
    """Return the repository that a name or folder means; None where it means none.

    The last few stay open, for predictions are asked for one task at a time; a repository whose
    tables have changed since is opened anew.

    Raises
    ------
    NotFetchedError
        For an official context that has not been downloaded.
    TabRepoError
        If its files lack, cannot be read or contradict each other.
    """
    context = official_contexts().get(str(where))
    folder = default_folder() if context else Path(where)
    if context and not layouts.is_tabrepo(folder):
        raise NotFetchedError(f"{where} has not been downloaded: make tabrepo CONTEXT={where} "
                              f"({context.size}).")
    if not layouts.is_tabrepo(folder):
        return None
    return _open(folder.resolve(), layouts.last_changes(folder),
                 context.datasets if context else (), context is not None)


@lru_cache(maxsize=4)
def _open(folder: Path, changed: tuple[int, ...], datasets: tuple[str, ...],
          infer_time_per_row: bool) -> TabRepo:
    return TabRepo(folder, datasets, infer_time_per_row)
