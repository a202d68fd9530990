"""Records of tasks from any repository of evaluations with predictions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from analysis.databases.evaluations import Repository, open_repository
from analysis.ensembles import METRICS
from collection.containers.curves import Status
from collection.project.naming import check_known


class TaskPredictions(NamedTuple):
    """Predictions of some configs on one task.

    Attributes
    ----------
    valid, test : ndarray, shape (config, row) or (config, row, class)
    valid_labels, test_labels : ndarray, shape (row,)
    """

    valid: np.ndarray
    valid_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


@dataclass(frozen=True)
class TaskRecord:
    """One task (a dataset's fold) and all configs on it.

    Attributes
    ----------
    dataset : str
    fold : int
    metric : str
        A name in `analysis.ensembles.METRICS`.
    valid_error, test_error : ndarray of float, shape (config,)
        Lower is better.
    train_time, infer_time : ndarray of float, shape (config,)
        Seconds; inference of all test rows, or per row, the same for all.
    load : callable
        From positions of configs to their `TaskPredictions`, in that order; no others are read.
    """

    dataset: str
    fold: int
    metric: str
    valid_error: np.ndarray
    test_error: np.ndarray
    train_time: np.ndarray
    infer_time: np.ndarray
    load: Callable[[np.ndarray], TaskPredictions]


def check_records(records: Sequence[TaskRecord]) -> None:
    """Raise `ValueError` unless all tasks have the same configs and none comes twice."""
    if not records:
        raise ValueError("There are no tasks.")
    configs = len(records[0].test_error)
    seen = set()
    for r in records:
        arrays = (r.valid_error, r.test_error, r.train_time, r.infer_time)
        if any(np.shape(a) != (configs,) for a in arrays):
            raise ValueError(f"{r.dataset}, fold {r.fold}: errors and times of {configs} configs, "
                             "as on the first task, are expected; found the shapes "
                             f"{[np.shape(a) for a in arrays]}.")
        if (r.dataset, r.fold) in seen:
            raise ValueError(f"{r.dataset}, fold {r.fold} comes twice.")
        seen.add((r.dataset, r.fold))


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
    known = _configs(repository.evaluations)
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


def open_records(where: str | Path | Repository, fallback: str | None = None,
                 whole: bool = True) -> tuple[list[TaskRecord], list[str]]:
    """Open all tasks of a repository for ensembles and portfolios; of TabRepo's, the configs.

    Parameters
    ----------
    where : str, Path or Repository
        As for `analysis.load_evaluations`, or an open repository.
    fallback : str, optional
        The learner whose errors, times and predictions stand in where another has none; by default
        that of the repository, if any.
    whole : bool
        Whether every learner has to have run on every task; else its errors are NaN.

    Returns
    -------
    records : list of TaskRecord
        One per task, repeat and fold that has been evaluated; repeats are counted on as folds.
    learners : list of str
        What positions of configs in the records mean.

    Raises
    ------
    ValueError
        Where results lack and nothing stands in (the learners that lack most are named), and for
        tasks judged by a metric that ensembles do not know.
    UnknownNameError
        For an unknown fallback.
    """
    repository = where if isinstance(where, Repository) else open_repository(where)
    if fallback is not None:
        repository = repository.with_fallback(fallback)
    known = _configs(repository.evaluations)
    _check_metrics(known)
    learners = known["learner"].values.tolist()
    if repository.fallback is not None:
        check_known("fallback learner", [repository.fallback], learners)
    folds = known.stack(of=("task", "repeat", "fold"))
    ran = np.isfinite(folds["error"].sel(split="test")).any("learner")
    parts = [folds.isel(of=k) for k in np.flatnonzero(ran.values)]
    records = [_record(repository, part, learners, known.sizes["fold"]) for part in parts]
    if whole or not records:
        _check_complete(records, learners)
    return records, learners


def in_memory(records: Sequence[TaskRecord]) -> list[TaskRecord]:
    """Return records whose predictions are read once, of all configs, for studies that ask often.

    A repository of a thousand configs is better left where it lies: the published one takes
    gigabytes.
    """
    kept = []
    for record in records:
        everything = record.load(np.arange(len(record.test_error)))
        everything = everything._replace(valid=np.array(everything.valid),
                                         test=np.array(everything.test))
        kept.append(replace(record, load=partial(_of_configs, everything)))
    return kept


def _of_configs(everything: TaskPredictions, configs: np.ndarray) -> TaskPredictions:
    return everything._replace(valid=everything.valid[configs], test=everything.test[configs])


def _record(repository: Repository, part: xr.Dataset, learners: list[str],
            folds: int) -> TaskRecord:
    """Return one task's record; the fallback's numbers stand in for missing ones."""
    task, repeat, fold = (part[name].item() for name in ("task", "repeat", "fold"))
    numbers = [part["error"].sel(split="valid"), part["error"].sel(split="test"),
               part["train_time"], part["predict_time"].sel(split="test")]
    numbers = [np.array(values.transpose("learner").values, float) for values in numbers]
    if repository.fallback is not None:
        stand_in = learners.index(repository.fallback)
        lacks = np.isnan(numbers[1])
        for values in numbers:
            values[lacks] = values[stand_in]
    load = partial(_load, repository, task, fold, repeat, np.array(learners, object))
    return TaskRecord(task, int(repeat * folds + fold), part["metric"].item(), *numbers, load)


def _load(repository: Repository, task: str, fold: int, repeat: int, learners: np.ndarray,
          configs: np.ndarray) -> TaskPredictions:
    """Return predictions and labels of some configs."""
    names = learners[configs].tolist()
    arrays = []
    for split in ("valid", "test"):
        found = repository.predictions(task, fold, split, names, repeat)
        arrays += [found.values, repository.labels(task, fold, split, repeat).values]
    return TaskPredictions(*arrays)


def _configs(known: xr.Dataset) -> xr.Dataset:
    """Leave out learners that are no configs, where the repository tells kinds."""
    if "kind" in known.coords and known["kind"].dims == ("learner",):
        return known.isel(learner=np.flatnonzero(known["kind"].values == "config"))
    return known


def _check_metrics(known: xr.Dataset) -> None:
    strange = sorted(set(known["metric"].values.tolist()) - set(METRICS))
    several = [task for task, metric, problem in zip(
        known["task"].values, known["metric"].values, known["problem"].values, strict=True)
        if metric == "auc" and problem == "multiclass"]
    if strange or several:
        what = f"the metric {strange[0]}" if strange else f"AUC on the many classes of {several[0]}"
        raise ValueError(f"Ensembles are selected by {', '.join(METRICS)} (AUC of two classes); "
                         f"this repository also has {what}. Take a subset of the tasks, or "
                         "evaluate with another METRICS.")


def _check_complete(records: Sequence[TaskRecord], learners: list[str]) -> None:
    if not records:
        raise ValueError("The repository has no evaluation with an error on test rows.")
    lacks = np.sum([np.isnan(r.test_error) | np.isnan(r.valid_error) for r in records], axis=0)
    if lacks.any():
        worst = [k for k in np.argsort(-lacks, kind="stable")[:5] if lacks[k]]
        some = ", ".join(f"{learners[k]} ({lacks[k]})" for k in worst)
        raise ValueError(f"Validation or test errors lack on some of {len(records)} tasks: {some}. "
                         "Name a fallback learner, take a subset, or evaluate with BAGS=8.")
