"""A TabRepo repository as the container of evaluations, and its predictions as named arrays."""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.tabrepo.layout import TabRepoError
from analysis.databases.tabrepo.repository import TabRepo
from collection.containers.evaluations import label_evaluations
from collection.containers.metrics import TASK_METRICS
from collection.project.naming import check_known
from collection.store.evaluation_reader import NoPredictionsError

OUR_NAMES = {"roc_auc": "auc", "accuracy": "error_rate", "root_mean_squared_error": "rmse"}
FACTS = {"NumberOfInstances": "rows", "NumberOfFeatures": "features",
         "NumberOfSymbolicFeatures": "categorical", "NumberOfClasses": "classes",
         "NumberOfMissingValues": "missing_values"}
SPLITS = {"valid": "metric_error_val", "test": "metric_error"}
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
    tables = repository.tables
    results = pd.concat([tables.configs.assign(kind="config"),
                         tables.baselines.assign(kind="baseline")], ignore_index=True)
    results["metric"] = results["metric"].replace(OUR_NAMES)
    if repository.infer_time_per_row:
        rows = {task: f.shapes["test"][1] for task, f in repository.folders.items()}
        known = pd.Series(list(zip(results["dataset"], results["fold"], strict=True))).map(rows)
        results["time_infer_s"] *= known
    return label_results(results, _tasks(repository, results), _learners(repository, results),
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
        for split, column in SPLITS.items():
            error = results[column].where(results["metric"] == name)
            table[f"{name}_{split}"] = error if TASK_METRICS[name].is_error else 1 - error
    container = label_evaluations(table, tasks, learners, **attrs)
    error = np.full(container["error"].shape, np.nan)  # as stored: 1 − (1 − x) is not always x
    places = [pd.Categorical(results[column], container[dim].values).codes
              for dim, column in (("task", "dataset"), ("learner", "framework"), ("fold", "fold"))]
    for split, column in SPLITS.items():
        place = list(container["split"].values).index(split)
        error[places[0], places[1], 0, places[2], place] = results[column]
    return container.assign(error=container["error"].copy(data=error))


def _tasks(repository: TabRepo, results: pd.DataFrame) -> pd.DataFrame:
    """Return a row per dataset: metric, kind of problem, task id, facts."""
    first = results.groupby("dataset")[["metric", "problem_type"]].first()
    tids = repository.tables.tids
    first = first.loc[list(tids)]
    tasks = pd.DataFrame({"name": list(tids), "metric": first["metric"].to_numpy(),
                          "problem": first["problem_type"].to_numpy(),
                          "openml_id": list(tids.values())})
    for theirs, ours in FACTS.items():
        if theirs in repository.tables.facts:
            tasks[ours] = repository.tables.facts[theirs].reindex(repository.datasets).to_numpy()
    if "features" in tasks:
        tasks["features"] -= 1  # theirs count the target
    return tasks


def _learners(repository: TabRepo, results: pd.DataFrame) -> pd.DataFrame:
    """Return a row per config or baseline; without a known family, its name's first part."""
    kinds = results.drop_duplicates("framework").set_index("framework")["kind"]
    names = [*repository.configs, *(b for b in repository.baselines if kinds[b] == "baseline")]
    entries = [repository.tables.hyperparameters.get(name, {}) for name in names]
    families = [entry.get("model_type") or name.split("_")[0]
                for name, entry in zip(names, entries, strict=True)]
    return pd.DataFrame({
        "name": names, "family": families, "kind": kinds[names].to_numpy(),
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
    kind = KINDS.get(_problem(repository, task), "value")
    coords = {"learner": np.array(names, object),
              "row": _row_numbers(repository, task, fold, split, values.shape[1]),
              "kind": ("learner", np.full(len(names), kind, object))}
    if values.ndim == 3:
        coords["class"] = [str(k) for k in range(values.shape[2])]
    attrs = {"class": "1"} if _problem(repository, task) == "binary" else {}
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
    count = 0 if _problem(repository, task) == "regression" else (*shape, 2)[2]
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


def _problem(repository: TabRepo, dataset: str) -> str:
    both = pd.concat([repository.tables.configs, repository.tables.baselines])
    return str(both.loc[both["dataset"] == dataset, "problem_type"].iloc[0])
