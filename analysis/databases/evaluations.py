"""Open evaluations, their predictions and what is true, by the folder that they lie in.

Or by name a whole matrix of errors, without predictions and validation rows.
``"tabrepo-lightgbm"``: test errors and seconds of 104 configs of LightGBM on 93 tasks of OpenML, as
TabRepo's authors first published them (``data/results/sources.csv`` says where).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.tabrepo import as_evaluations, as_labels, as_predictions, find_tabrepo
from analysis.databases.tabrepo.container import label_results
from analysis.statistics.families import families
from collection.containers.curves import Status
from collection.project.arguments import checked
from collection.project.naming import check_known
from collection.project.paths import DATA, shipped
from collection.store.evaluation_reader import open_evaluations, read_labels, read_predictions
from collection.store.evaluations import EVALUATIONS

MATRICES = {"tabrepo-lightgbm": "lightgbm_configs"}  # name → study in ``data/results/``
FOLDER = DATA / "results"
COLUMNS = {"task": "dataset", "method": "framework", "value": "metric_error",
           "train_time": "time_train_s", "predict_time": "time_infer_s"}  # ours → TabRepo's


def open_matrix(name: str) -> xr.Dataset:
    """Open a matrix of errors as evaluations.

    Parameters
    ----------
    name : str
        A name in `MATRICES`.

    Returns
    -------
    xarray.Dataset
        As `analysis.load_evaluations` returns it, one repeat and one fold; of the splits only test
        is known. Along ``task``: ``dataset`` (OpenML's id), ``title``, ``rows``, ``features``, and
        ``relatives``, the family of near-duplicates. ``predict_time`` is per row.
    """
    study = MATRICES[name]
    runs = pd.read_csv(shipped(FOLDER / f"{study}.csv.gz"), dtype={"task": str})
    tasks = _tasks(runs, study)
    configs = pd.DataFrame({"name": runs["method"].unique()})
    configs = configs.assign(family=configs["name"].str.split("_").str[0], kind="config",
                             hyperparameters=json.dumps({}))
    results = runs.rename(columns=COLUMNS).assign(fold=0, metric_error_val=np.nan)
    return label_results(results, tasks, configs, database=name, folder=str(FOLDER))


def _tasks(runs: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return a row per task: facts, and the family by either list of near-duplicates."""
    first = runs.drop_duplicates("task").set_index("task")[["problem", "metric"]]
    tasks = pd.read_csv(shipped(FOLDER / f"{study}_tasks.csv"), dtype={"task": str}).rename(
        columns={"name": "title", "task": "name"})
    tasks = tasks.set_index("name").loc[first.index].join(first)
    listed = pd.read_csv(shipped(FOLDER / "families.csv"), dtype=str).query("study == @study")
    listed = listed.set_index("task")["family"]
    registered = pd.Series(families(tasks["dataset"]), tasks.index)
    return tasks.assign(relatives=listed.reindex(tasks.index).fillna(registered)).rename_axis(
        "name").reset_index()


#: Folders of repositories that the book knows by name.
SHIPPED: dict[str | Path, Path] = {"evaluations": DATA / "evaluations"}


def is_repository(where: str | Path) -> bool:
    """Tell whether there are evaluations at a place that `load_evaluations` takes."""
    return (where in SHIPPED or where in MATRICES or (Path(where) / EVALUATIONS.file).is_file()
            or find_tabrepo(where) is not None)


@checked
def load_evaluations(where: str | Path) -> xr.Dataset:
    """Open the evaluations in a folder that ``make evaluate`` wrote, or in one of TabRepo's.

    Parameters
    ----------
    where : str or Path
        ``"evaluations"`` (the project's own), ``"tabrepo-lightgbm"`` (a matrix of errors without
        predictions), a folder, or the name of an official context of TabRepo that has been
        downloaded.

    Returns
    -------
    xarray.Dataset
        Dims ``task, learner, repeat, fold, split`` (train, valid, test). Variables: the metrics
        (``error_rate``, ``f1``, ``auc``, ``log_loss``; ``rmse``, ``mae``, ``r2`` of regression
        tasks), ``error`` (the task's own metric as an error; the coordinate ``metric`` along
        ``task`` names it), ``train_time`` and ``predict_time`` (s), ``status`` and ``message``
        (position in ``message_text``), ``chosen`` (hyperparameters that a learner's own tuning
        chose, JSON). NaN where there is no value; valid is NaN where nothing was bagged.

    Raises
    ------
    NoStoreError
        Where there are none.
    UnreadableStoreError
        Where the store is damaged or of a later version.
    """
    if where in MATRICES:
        return open_matrix(str(where))
    if found := find_tabrepo(where):
        return as_evaluations(found)
    return open_evaluations(SHIPPED.get(where, where))


@checked
def load_predictions(where: str | Path, task: str, fold: int, split: str,
                     learners: Sequence[str] | None = None, repeat: int = 0) -> xr.DataArray:
    """Open what learners predicted on a fold, without reading what others did.

    Parameters
    ----------
    where : str or Path
        As for `load_evaluations`.
    task : str
    fold, repeat : int
    split : {"valid", "test"}
        Out-of-fold predictions on the training rows (where there are bags), or on the test rows.
    learners : sequence of str, optional
        By default all.

    Returns
    -------
    xarray.DataArray
        Dims ``learner, row``: of two classes the probability of the second, which the attribute
        ``class`` names; for regression the prediction. Dims ``learner, row, class`` for more
        classes. The coordinate ``kind`` along ``learner`` tells probabilities from decision
        scores, labels and values.

    Raises
    ------
    UnknownNameError
        For an unknown task, learner or split.
    NoPredictionsError
        Where they were not stored.
    UnreadableStoreError
        Where their file is cut short or absent.
    """
    if found := find_tabrepo(where):
        return as_predictions(found, task, fold, split, learners, repeat)
    return read_predictions(SHIPPED.get(where, where), task, fold, split, learners, repeat)


@checked
def load_labels(where: str | Path, task: str, fold: int, split: str,
                repeat: int = 0) -> xr.DataArray:
    """Open what is true of the rows that `load_predictions` is of.

    Parameters
    ----------
    where, task, fold, split, repeat
        As for `load_predictions`.

    Returns
    -------
    xarray.DataArray
        Dim ``row``: class codes, by position in the attribute ``classes``, or numbers to predict.
        Raises what `load_predictions` does.
    """
    if found := find_tabrepo(where):
        return as_labels(found, task, fold, split, repeat)
    return read_labels(SHIPPED.get(where, where), task, fold, split, repeat)


@dataclass(frozen=True)
class Repository:
    """Evaluations, and their predictions and labels on request.

    Attributes
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it.
    where : str or Path
        What opened it.
    fallback : str or None
        The learner whose predictions stand in for those of learners without.
    """

    evaluations: xr.Dataset
    where: str | Path
    fallback: str | None = None

    def predictions(self, task: str, fold: int, split: str, learners: Sequence[str],
                    repeat: int = 0) -> xr.DataArray:
        """Return predictions in the order asked for, dims ``learner, row`` (and ``class``).

        Where a learner has none, the fallback's come under its name.

        Raises
        ------
        UnknownNameError
            For a task or learner that is not in the repository.
        KeyError
            For predictions that are not stored, and no fallback; its message says which.
        """
        check_known("task", [task], self.evaluations["task"].values)
        check_known("learner", learners, self.evaluations["learner"].values)
        names = list(learners)
        if self.fallback is not None:
            for dim, place in (("fold", fold), ("repeat", repeat)):
                check_known(dim, [place], self.evaluations[dim].values)
            ran = self.evaluations["status"].sel(task=task, fold=fold, repeat=repeat) == Status.ok
            has_run = dict(zip(self.evaluations["learner"].values, ran.values, strict=True))
            names = [name if has_run[name] else self.fallback for name in names]
        unique = list(dict.fromkeys(names))
        found = load_predictions(self.where, task, fold, split, unique, repeat)
        found = found.isel(learner=[unique.index(name) for name in names])
        return found.assign_coords(learner=np.array(list(learners), object))

    def labels(self, task: str, fold: int, split: str, repeat: int = 0) -> xr.DataArray:
        """Return labels, dim ``row``."""
        check_known("task", [task], self.evaluations["task"].values)
        return load_labels(self.where, task, fold, split, repeat)

    def subset(self, tasks: Sequence[str] | None = None, learners: Sequence[str] | None = None,
               folds: Sequence[int] | None = None) -> "Repository":
        """Return the repository of some tasks, learners and folds, in the order given."""
        kept = self.evaluations
        for dim, names in (("task", tasks), ("learner", learners), ("fold", folds)):
            if names is not None:
                check_known(dim, names, kept[dim].values)
                kept = kept.sel({dim: list(names)})
        return replace(self, evaluations=kept)

    def with_fallback(self, learner: str) -> "Repository":
        """Return the repository in which a learner's predictions stand in for missing ones."""
        check_known("fallback learner", [learner], self.evaluations["learner"].values)
        return replace(self, fallback=learner)


def open_repository(where: str | Path) -> Repository:
    """Open a repository by name or folder, as `analysis.load_evaluations` does."""
    return Repository(load_evaluations(where), where)
