"""One TabRepo repository: its tables at hand, its predictions on request.

Its results as the container of evaluations, its predictions as named arrays.
"""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.tabrepo import layout as layouts
from collection.containers.evaluations import label_evaluations
from collection.containers.metrics import TASK_METRICS
from collection.official.tabrepo import (
    TabRepoError,
    check_tables,
    default_folder,
    official_contexts,
)
from collection.official.tabrepo import find_context as find_context
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

    def predictions(self, split: str, configs: list[str]) -> np.ndarray:
        """Return the predictions of some configs, in that order; no others are read.

        Two classes in two columns come as the second.

        Raises
        ------
        NoPredictionsError
            If there are none of a config.
        TabRepoError
            If the file is absent, or longer or shorter than its shape says.
        """
        places = {name: place for place, name in enumerate(self.models)}
        absent = [name for name in configs if name not in places]
        if absent:
            some = ", ".join(absent[:5]) + (" …" if len(absent) > 5 else "")
            raise NoPredictionsError(
                f"{self.dataset}, fold {self.fold}: there are no predictions of {some}. Leave them "
                "out, or name a fallback config.")
        path, shape = self.folder / f"pred-{SPLITS[split]}.dat", self.shapes[split]
        if not path.is_file():
            raise TabRepoError(f"{path} is absent.")
        expected = int(np.prod(shape)) * np.dtype(self.dtype).itemsize
        if path.stat().st_size != expected:
            raise TabRepoError(f"{path} has {path.stat().st_size:,} bytes, but {expected:,} are "
                               f"expected for {shape} numbers of {self.dtype}: it was cut short or "
                               "is of something else. Fetch or write it again.")
        stored = np.memmap(path, self.dtype, "r", shape=shape)
        values = np.array(stored[[places[name] for name in configs]])
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
        self.results, metadata = layouts.read_results(self.layout, predicted or set(datasets))
        self.judged = layouts.judged_by(self.results)
        self.tids = layouts.task_ids(self.results, metadata)
        self.facts = layouts.facts_of(metadata, self.tids)
        self.hyperparameters = layouts.read_hyperparameters(
            self.layout, self.results["framework"].unique())
        self.fallback = self.layout.fallback
        if self.fallback is not None:
            check_known("fallback config", [self.fallback], self.configs)

    @cached_property
    def configs(self) -> list[str]:
        """Names of configs, sorted."""
        return sorted(set(self.results.query("kind == 'config'")["framework"]))

    @property
    def datasets(self) -> list[str]:
        """Names of datasets with results, sorted."""
        return list(self.tids)

    @cached_property
    def folds(self) -> dict[str, list[int]]:
        """The folds of each dataset."""
        of = self.results.groupby("dataset")["fold"]
        return {name: sorted(set(group)) for name, group in of}

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


OUR_NAMES = {"roc_auc": "auc", "accuracy": "error_rate", "root_mean_squared_error": "rmse"}
FACTS = {"NumberOfInstances": "rows", "NumberOfFeatures": "features",
         "NumberOfSymbolicFeatures": "categorical", "NumberOfClasses": "classes",
         "NumberOfMissingValues": "missing_values"}
ERRORS = {"valid": "metric_error_val", "test": "metric_error"}
KINDS = {"binary": "probability", "multiclass": "probability", "regression": "value"}


def as_evaluations(repository: TabRepo) -> xr.Dataset:
    """Return a repository's results as the container of `collection.containers.evaluations`.

    Parameters
    ----------
    repository : TabRepo
        Where its inference times are per test row, they are multiplied by the number of test
        rows, where that is known.

    Returns
    -------
    xarray.Dataset
        Dims ``task`` (datasets), ``learner`` (configs and baselines; the coordinate ``kind`` tells
        which), ``repeat`` (0), ``fold``, ``split``. ``error`` is exactly what is stored, valid
        from ``metric_error_val``; train is NaN throughout. A config that was not run on a task has
        the status ``not_run``.
    """
    results = repository.results.replace({"metric": OUR_NAMES})
    if repository.infer_time_per_row:
        rows = {task: f.shapes["test"][1] for task, f in repository.folders.items()}
        known = pd.Series(list(zip(results["dataset"], results["fold"], strict=True))).map(rows)
        results["time_infer_s"] *= known
    return label_results(results, _tasks(repository), _learners(repository),
                         database="tabrepo", folder=str(repository.layout.folder))


def label_results(results: pd.DataFrame, tasks: pd.DataFrame, learners: pd.DataFrame,
                  **attrs: str) -> xr.Dataset:
    """Return results in TabRepo's columns as the container of evaluations, of one repeat.

    Parameters
    ----------
    results : pandas.DataFrame
        A row per evaluation: ``dataset, framework, fold, metric`` (by our name), ``metric_error``
        and ``metric_error_val``, which come out as they stand, ``time_train_s, time_infer_s``.
    tasks, learners, **attrs
        As in `collection.containers.evaluations.label_evaluations`.
    """
    table = pd.DataFrame({
        "task": results["dataset"], "learner": results["framework"], "repeat": 0,
        "fold": results["fold"], "status": "ok", "message": "", "chosen": "",
        "train_time": results["time_train_s"], "predict_time_test": results["time_infer_s"]})
    for name in set(results["metric"]) & set(TASK_METRICS):
        for split, column in ERRORS.items():
            error = results[column].where(results["metric"] == name)
            table[f"{name}_{split}"] = error if TASK_METRICS[name].is_error else 1 - error
    container = label_evaluations(table, tasks, learners, **attrs)
    error = np.full(container["error"].shape, np.nan)  # as stored: 1 − (1 − x) is not always x
    places = [pd.Categorical(results[column], container[dim].values).codes
              for dim, column in (("task", "dataset"), ("learner", "framework"), ("fold", "fold"))]
    for split, column in ERRORS.items():
        place = list(container["split"].values).index(split)
        error[places[0], places[1], 0, places[2], place] = results[column]
    return container.assign(error=container["error"].copy(data=error))


def _tasks(repository: TabRepo) -> pd.DataFrame:
    """Return a row per dataset: metric, kind of problem, task id, facts."""
    judged = repository.judged.loc[list(repository.tids)].replace({"metric": OUR_NAMES})
    tasks = pd.DataFrame({"name": list(repository.tids), "metric": judged["metric"].to_numpy(),
                          "problem": judged["problem_type"].to_numpy(),
                          "openml_id": list(repository.tids.values())})
    for theirs, ours in FACTS.items():
        if theirs in repository.facts:
            tasks[ours] = repository.facts[theirs].reindex(tasks["name"]).to_numpy()
    if "features" in tasks:
        tasks["features"] -= 1  # theirs count the target
    return tasks


def _learners(repository: TabRepo) -> pd.DataFrame:
    """Return a row per config or baseline; without a known family, its name's first part."""
    told = repository.results.drop_duplicates("framework").sort_values(
        ["kind", "framework"], ascending=[False, True])  # configs first
    names = told["framework"].tolist()
    entries = [repository.hyperparameters.get(name, {}) for name in names]
    families = [entry.get("model_type") or name.split("_")[0]
                for name, entry in zip(names, entries, strict=True)]
    return pd.DataFrame({
        "name": names, "family": families, "kind": told["kind"].tolist(),
        "hyperparameters": [json.dumps(e.get("hyperparameters") or {}) for e in entries]})


def as_predictions(repository: TabRepo, task: str, fold: int, split: str,
                   learners: Sequence[str] | None = None, repeat: int = 0) -> xr.DataArray:
    """Return predictions of configs, dims ``learner, row`` or ``learner, row, class``.

    Of two classes the probability of class 1, which the attribute ``class`` names. See
    `TabRepo.predictions`.
    """
    check_known("repeat", [repeat], [0])
    learners = [learners] if isinstance(learners, str) else learners
    values = repository.predictions(task, fold, split, learners)
    names = repository.predicted(task, fold) if learners is None else list(learners)
    problem = repository.judged.at[task, "problem_type"]
    coords = {"learner": np.array(names, object),
              "row": _row_numbers(repository, task, fold, split, values.shape[1]),
              "kind": ("learner", np.full(len(names), KINDS.get(problem, "value"), object))}
    if values.ndim == 3:
        coords["class"] = [str(k) for k in range(values.shape[2])]
    attrs = {"class": "1"} if problem == "binary" else {}
    return xr.DataArray(values, coords, ("learner", "row", "class")[:values.ndim], "prediction",
                        attrs)


def as_labels(repository: TabRepo, task: str, fold: int, split: str,
              repeat: int = 0) -> xr.DataArray:
    """Return labels, dim ``row`` (coordinate: number of the row in the dataset).

    Raises
    ------
    TabRepoError
        For labels that are not class numbers of the predictions, or not finite.
    """
    check_known("repeat", [repeat], [0])
    labels, numbers = repository.labels(task, fold, split)
    shape = repository.folders[task, fold].shapes[split]
    regression = repository.judged.at[task, "problem_type"] == "regression"
    count = 0 if regression else (*shape, 2)[2]
    allowed = np.isin(labels, np.arange(count)) if count else np.isfinite(labels)
    if not allowed.all():
        are = f"class numbers from 0 to {count - 1}" if count else "finite numbers"
        some = ", ".join(f"{value:g}" for value in np.unique(labels[~allowed])[:5])
        raise TabRepoError(f"{task}, fold {fold}: labels of the {split} rows are {are}, as in the "
                           f"predictions, but {(~allowed).sum()} are not: {some}. Fetch or write "
                           "them again, or leave the task out.")
    classes = [str(k) for k in range(count)]
    return xr.DataArray(labels.astype(np.int64) if count else labels, {"row": numbers}, "row",
                        "label", {"classes": classes})


def _row_numbers(repository: TabRepo, task: str, fold: int, split: str, rows: int) -> np.ndarray:
    """Return the rows' numbers in the dataset, which labels bring; without them, counted."""
    try:
        return repository.labels(task, fold, split)[1]
    except NoPredictionsError:
        return np.arange(rows)
