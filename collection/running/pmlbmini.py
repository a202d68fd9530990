"""Learners on tasks by the paper's protocol: fitted on folds for testing, and on all for training.

PMLBmini (Section 4.1) takes the mean test AUC of a stratified 3-fold cross-validation, and the
training AUC and the best hyperparameters of one fit on the whole dataset.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from collection.running.engine import Limits
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run
from collection.store.evaluation_reader import open_evaluations, read_evaluations
from collection.tasks import CrossValidation, Task
from collection.tasks.procedures import WholeData

PARTS = {"folds": None, "whole": WholeData()}
PAPER = CrossValidation(3, shuffle=False)
COLUMNS = ["dataset", "learner", "repeat", "fold", "split", "auc", "status", "message",
           "hyperparameters", "seconds"]


def run_study(tasks: Iterable[Task], learners: Sequence[str], out: Path,
              limits: Limits | None = None, **parameters: object) -> Counter[str]:
    """Evaluate learners on tasks, on their folds and on all rows; go on where it stopped.

    Parameters
    ----------
    tasks : iterable of Task
        With the splits that test; judged by AUC.
    learners : sequence of str
        Names or specs.
    out : Path
        Folder of the two stores, ``folds`` and ``whole``.
    limits : Limits, optional
        Of a fit, in place of TIME_LIMIT and MEMORY_LIMIT.
    **parameters
        Of `collection.running.evaluation_settings.PARAMETERS`: limits, workers.

    Returns
    -------
    Counter of str
        Why evaluations could not be made, and how many; they are not stored.

    Raises
    ------
    UnknownNameError, DatasetError, TaskError, LearnerSpecError, SettingsError
        As `make_plan` does; nothing has been fitted then.
    """
    tasks = [replace(task, metric="auc") for task in tasks]
    lost: Counter[str] = Counter()
    for part, procedure in PARTS.items():
        asked = [replace(t, procedure=procedure, splits="") for t in tasks] if procedure else tasks
        settings = check_settings({"TASKS": "these", "LEARNERS": list(learners),
                                   "OUT": out / part, **parameters})
        if limits:
            settings = replace(settings, time_limit=limits.time, memory_limit=limits.memory)
        lost += run(settings, make_plan(settings, asked)).lost
    return lost


def read_study(out: Path, metric: str = "auc") -> pd.DataFrame:
    """Return what a study holds, a row per fit and split.

    Parameters
    ----------
    out : Path
        As of `run_study`.
    metric : str
        Of the classes' in `collection.containers.metrics.TASK_METRICS`; every fit has all of them.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`, the metric in place of ``auc``: ``split`` is ``test`` (rows held out of
        a fold) or ``train`` (all rows, fitted on all: ``repeat`` and ``fold`` are 0); the metric
        is NaN where the fit failed (``status`` and ``message`` say why) or gives no scores, or for
        log-loss no probabilities; ``hyperparameters`` what its own tuning chose (JSON; empty:
        none); ``seconds`` to fit.

    Raises
    ------
    NoStoreError
        Where there is no store.
    """
    tables = []
    for part, split in (("folds", "test"), ("whole", "train")):
        table = read_evaluations(out / part)
        chosen = [text.removeprefix("[").removesuffix("]") for text in table["chosen"]]
        tables.append(table.rename(columns={"task": "dataset", f"{metric}_{split}": "auc"}).assign(
            split=split, hyperparameters=chosen, seconds=table["train_time"])[COLUMNS])
    return pd.concat(tables, ignore_index=True).rename(columns={"auc": metric})


def study_tasks(out: Path) -> pd.DataFrame:
    """Return what is known of a study's tasks, by name: ``spec``, ``rows``, ``features``."""
    found = open_evaluations(out / "folds")
    return pd.DataFrame({name: found[name].values for name in ("spec", "rows", "features")},
                        index=found["task"].values)


def summarise(results: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over folds, a failed fold making the whole a failure.

    Parameters
    ----------
    results : pandas.DataFrame
        As `read_study` returns it, or with ``method`` for ``learner``.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, method, split, auc, status, hyperparameters, message, seconds``: a row
        per dataset, method and split. ``auc`` is NaN unless every fold has one; ``status`` is
        ``ok`` or that of the first fold that is not; ``hyperparameters`` of the folds in order,
        separated by semicolons; ``seconds`` the mean.
    """
    results = results.rename(columns={"learner": "method"})
    rows = []
    for (dataset, method, split), folds in results.groupby(["dataset", "method", "split"],
                                                           sort=False):
        failed = folds[folds["status"] != "ok"]
        first = failed.iloc[0] if len(failed) else folds.iloc[0]
        rows.append({
            "dataset": dataset, "method": method, "split": split,
            "auc": folds["auc"].mean(skipna=False), "status": first["status"],
            "hyperparameters": "; ".join(folds["hyperparameters"].fillna("")).strip("; "),
            "message": first["message"], "seconds": folds["seconds"].mean()})
    return pd.DataFrame(rows)
