"""Which repository the chapter is about, what it holds, and how its configs rank on datasets."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from analysis.databases.evaluations import SHIPPED, Repository, is_repository, open_repository
from analysis.ensembles.metrics import METRICS, measure_errors
from collection.container import Status
from collection.paths import ROOT

DEFAULT = "evaluations"
FIRST = 3  # configs of each family that the paper shows (TabRepo, Figure 1)
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


def first_configs(evaluations: xr.Dataset, number: int = FIRST) -> list[str]:
    """Return the first configs of every family, as they stand in the repository: default first.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it, with the coordinate ``family``.
    number : int
        Of each family.
    """
    table = pd.Series(evaluations["family"].values, evaluations["learner"].values)
    return [name for _, names in table.groupby(table, sort=False)
            for name in sorted(names.index, key=natural)[:number]]


def natural(name: str) -> tuple[str, str, int]:
    """Return by what configs are sorted: ``_c1`` before ``_r1`` before ``_r2`` before ``_r10``."""
    head, _, tail = name.rpartition("_")
    number = int(tail[1:]) if tail[1:].isdigit() else 0
    return head, tail[:1], number


def rank_table(evaluations: xr.Dataset, learners: list[str] | None = None) -> pd.DataFrame:
    """Return ranks among all configs, by test error.

    Parameters
    ----------
    evaluations : xarray.Dataset
        Errors of all learners on all tasks; see `open_whole`.
    learners : list of str, optional
        Whose ranks to return; by default all.

    Returns
    -------
    pandas.DataFrame
        A row per learner, a column per dataset: the mid-rank among all learners, 1 is best, mean
        over folds and repeats.
    """
    error = evaluations["error"].sel(split="test").stack(split_of=("repeat", "fold"))
    error = error.transpose("learner", "task", "split_of")
    ranks = rankdata(error.values, axis=0)
    ranks[np.isnan(error.values)] = np.nan
    table = pd.DataFrame(np.nanmean(ranks, axis=2), error["learner"].values, error["task"].values)
    return table if learners is None else table.loc[learners]


def rank_correlations(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of configs' ranks over datasets, a row and column each."""
    return ranks.T.corr(method="spearman")


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
