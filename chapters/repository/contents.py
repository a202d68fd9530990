"""Which repository the chapter is about, what it holds, and what it cost."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.evaluations import SHIPPED, Repository, is_repository, open_repository
from analysis.ensembles.metrics import METRICS, measure_errors
from collection.containers.curves import Status
from collection.project.paths import ROOT

DEFAULT = "evaluations"
LIMIT = "ended at the limit"  # in the message of an evaluation that kept its best step
SPLITS = ("valid", "test")


def chapter_repository() -> str:
    """Return the repository that a chapter uses: that of ``make book DATABASE=…``, or our own."""
    named = os.environ.get("DATABASE", "")
    return named if named and is_repository(named) else DEFAULT


def repository_title(where: str) -> str:
    """Return the name of a repository in words; a folder's is its path, short in the project."""
    if where in SHIPPED:
        return "our own repository"
    path = Path(where)
    return f"the repository {path.relative_to(ROOT) if path.is_relative_to(ROOT) else where}"


def open_whole(where: str | Path) -> Repository:
    """Open a repository with the tasks and configs that have both errors everywhere.

    Configs that failed on more than half of the tasks are left out first, then tasks on which one
    of the others did. Learners that are no configs (TabRepo's baselines) are left out.

    Raises
    ------
    ValueError
        Where nothing is left.
    """
    repository = open_repository(where)
    known = repository.evaluations
    if "kind" in known.coords and known["kind"].dims == ("learner",):
        known = known.isel(learner=np.flatnonzero(known["kind"].values == "config"))
    run = (known["status"] != Status.not_run).any("learner")
    error = known["error"].sel(split=["valid", "test"])
    has = np.isfinite(error).all("split") | ~run
    often = has.mean(["task", "repeat", "fold"]) > 0.5
    known = known.isel(learner=np.flatnonzero(often.values))
    whole = has.isel(learner=np.flatnonzero(often.values)).all(["learner", "repeat", "fold"])
    whole &= run.any(["repeat", "fold"])
    if not often.any() or not whole.any():
        raise ValueError(f"{where} has no task on which its configs all have validation and test "
                         "errors. Evaluate with BAGS=8 (or another number of bags), which gives "
                         "validation errors.")
    return repository.subset(known["task"].values[whole.values].tolist(),
                             known["learner"].values.tolist())


def stored_precision(repository: Repository, dtype: type = np.float64) -> pd.DataFrame:
    """Measure every error again from the stored predictions, on tasks whose measure is known.

    Parameters
    ----------
    repository : Repository
    dtype : type
        That predictions are rounded to first: what storing them in it would do.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, metric, split, evaluations, largest, mean``: absolute differences
        between the errors as they were measured on the fit and from what is stored of it, for
        regression relative to the error.
    """
    known = repository.evaluations
    learners = known["learner"].values.tolist()
    parts = []
    for task in known["task"].values.tolist():
        metric = known["metric"].sel(task=task).item()
        if metric not in METRICS:
            continue
        for repeat in known["repeat"].values.tolist():
            for fold in known["fold"].values.tolist():
                for split in SPLITS:
                    said = repository.predictions(task, fold, split, learners, repeat)
                    true = repository.labels(task, fold, split, repeat).values
                    measured = known["error"].sel(task=task, fold=fold, repeat=repeat, split=split)
                    again = measure_errors(said.values.astype(dtype).astype(float), true, metric)
                    apart = abs(again - measured.sel(learner=learners).values)
                    if metric == "rmse":
                        apart = apart / again
                    parts.append(pd.DataFrame({"dataset": task, "metric": metric, "split": split,
                                               "apart": apart}))
    table = pd.concat(parts)
    grouped = table.groupby(["dataset", "metric", "split"], sort=False)["apart"]
    return grouped.agg(evaluations="size", largest="max", mean="mean").reset_index()


def training_times(evaluations: xr.Dataset) -> pd.DataFrame:
    """Return the training time of every evaluation, all bags together.

    Returns
    -------
    pandas.DataFrame
        Columns ``family, config, dataset, fold, train_time`` (s), ``share`` (of the total).
    """
    table = evaluations["train_time"].rename("train_time").to_dataframe().reset_index()
    table = table.rename(columns={"learner": "config", "task": "dataset"})
    table = table.dropna(subset="train_time")[["family", "config", "dataset", "fold",
                                               "train_time"]]
    return table.assign(share=table["train_time"] / table["train_time"].sum())


def cut_short(evaluations: xr.Dataset, by: str) -> pd.DataFrame:
    """Return how many evaluations were ended by the time limit of their config.

    Parameters
    ----------
    evaluations : xarray.Dataset
        A repository that does not say (TabRepo's messages are empty) has none.
    by : {"family", "task"}

    Returns
    -------
    pandas.DataFrame
        Columns `by`, ``cut_short``, ``evaluations``, ``share``; the most first.
    """
    if "message_text" in evaluations:
        hit = np.array([LIMIT in str(text) for text in evaluations["message_text"].values])
        flags = evaluations["message"].copy(data=hit[evaluations["message"].values])
    else:
        flags = xr.zeros_like(evaluations["train_time"], bool)
    table = xr.Dataset({"cut": flags, "status": evaluations["status"]}).to_dataframe().reset_index()
    table = table[table["status"] != Status.not_run]
    found = table.groupby(by)["cut"].agg(["sum", "size"]).reset_index()
    found.columns = [by, "cut_short", "evaluations"]
    found["share"] = found["cut_short"] / found["evaluations"]
    return found.sort_values("cut_short", ascending=False, ignore_index=True, kind="stable")
