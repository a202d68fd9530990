"""What PMLBmini's 44 datasets are like: sizes, gaps coded as values, rows that occur twice."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError
from chapters.small_data.pmlbmini import published_lambda
from collection.datasets import Dataset, load_dataset
from collection.datasets.pmlb_source import names, pmlb_folder
from collection.evaluation.evaluate import evaluate
from collection.evaluation.study import PAPER
from collection.learners import find_learner
from collection.shipped.small import METHODS, SUITE
from collection.suites.specs import find_suite
from collection.tasks import CrossValidation, Task, load_task

ALL = "all"
#: Where a value stands for a gap, by the datasets' own descriptions: (dataset, column, code).
GAPS = (
    ("house_votes_84", ALL, 0), ("vote", ALL, 1), ("breast_cancer", "node-caps", 0),
    ("breast_cancer", "breast-quad", 0), ("heart_h", "ca", 1), ("heart_h", "slope", 0),
    ("heart_h", "thal", 0), ("hungarian", "ca", 1), ("hungarian", "slope", 3),
    ("hungarian", "thal", 3), ("labor", "wage increase third year", 9), ("labor", "standby pay", 7),
    ("labor", "shift differential", 10), ("colic", "nasogastric_reflux_PH", 24),
    ("colic", "abdomcentesis_total_protein", 44), ("horse_colic", "nasogastric reflux PH", 24),
    ("horse_colic", "abdomcentesis total protein", 44), ("hepatitis", "PROTIME", 44))
REPEATED = ("Logistic regression", "LightGBM (classifier)", "Random forest")
WIDER = tuple(0.5 * 5.0**k for k in range(4, -4, -1))  # λ from 312.5 to 0.004


def _tasks() -> tuple[Task, ...]:
    """Return the suite's tasks; raises `NotAtHandError` where a file of theirs is not there."""
    tasks = find_suite(SUITE).tasks
    if absent := {task.name for task in tasks} - set(names()):
        raise NotAtHandError(f"{len(absent)} of PMLBmini's 44 datasets are not in {pmlb_folder()}. "
                             "The package pmlb fetches them: make small.")
    return tasks


def dataset_facts() -> pd.DataFrame:
    """Return what every dataset is like.

    Returns
    -------
    pandas.DataFrame
        ``dataset, rows, features, minority_percent``; ``events_per_variable``, rows of the smaller
        class per feature; ``binary_features``, with two values; ``repeated_rows``, whose
        features are those of an earlier row; ``reduced``, whether it is among the 24 without
        TabPFN's prior. In the order of Table 3.

    Raises
    ------
    NotAtHandError
        Where the datasets are not in the cache.
    """
    kept = {task.name for task in find_suite(f"{SUITE}-24").tasks}
    return pd.DataFrame([_facts(load_dataset(task.dataset)) | {"reduced": task.name in kept}
                         for task in _tasks()])


def _facts(dataset: Dataset) -> dict[str, object]:
    counts = np.unique(dataset.target, return_counts=True)[1]
    n_features = dataset.features.shape[1]
    return {"dataset": dataset.name, "rows": dataset.n_rows, "features": n_features,
            "minority_percent": 100 * counts.min() / dataset.n_rows,
            "events_per_variable": counts.min() / n_features,
            "binary_features": int((dataset.features.nunique() == 2).sum()),
            "repeated_rows": int(dataset.features.duplicated().sum())}


def coded_gaps() -> pd.DataFrame:
    """Return how many cells hold a value that stands for a gap.

    Returns
    -------
    pandas.DataFrame
        ``dataset, column, code, cells, rows``, and ``of_rows``, the rows that there are. Raises
        `NotAtHandError` as `dataset_facts`.
    """
    tasks = {task.name: task for task in _tasks()}
    return pd.DataFrame([_gap(load_dataset(tasks[name].dataset), column, code)
                         for name, column, code in GAPS])


def _gap(dataset: Dataset, column: str, code: float) -> dict[str, object]:
    features = dataset.features if column == ALL else dataset.features[[column]]
    coded = features == code
    return {"dataset": dataset.name, "column": column, "code": code,
            "cells": int(coded.to_numpy().sum()), "rows": int(coded.any(axis=1).sum()),
            "of_rows": dataset.n_rows}


def repeated_rows_effect(least: int = 20) -> pd.DataFrame:
    """Return the test AUC with equal rows spread over the folds, and kept together.

    Parameters
    ----------
    least : int
        Percent of rows that repeat an earlier one; datasets with fewer are left out.

    Returns
    -------
    pandas.DataFrame
        ``dataset, repeated_percent, method, spread, together``: mean AUC of three stratified
        folds, not shuffled. Raises `NotAtHandError` as `dataset_facts`.
    """
    rows = []
    for task in _tasks():
        facts = _facts(load_dataset(task.dataset))
        share = 100 * facts["repeated_rows"] / facts["rows"]
        if share >= least:
            rows += [{"dataset": task.name, "repeated_percent": share, "method": method,
                      **{how: _mean_auc(task, method, procedure) for how, procedure in (
                          ("spread", PAPER), ("together", CrossValidation(
                              3, shuffle=False, keep_duplicates_together=True)))}}
                     for method in REPEATED]
    return pd.DataFrame(rows)


def _mean_auc(task: Task, method: str, procedure: CrossValidation) -> float:
    loaded = load_task(Task(task.dataset, task.target, procedure, "auc", task.name))
    learner = find_learner(METHODS[method].learner)
    made = (next(evaluate(loaded, learner, fold.repeat, fold.fold)) for fold in loaded.folds)
    return float(np.mean([one.measures["auc"][2] for one in made]))


def wider_grid() -> pd.DataFrame:
    """Return the penalty that a wider grid chooses where the published one ends.

    Returns
    -------
    pandas.DataFrame
        ``dataset``, ``published`` λ*, ``chosen`` on all rows from `WIDER`, ``auc`` and
        ``auc_wider``, the mean test AUC with the published grid and with this. Raises
        `NotAtHandError` where datasets or the published λ* are not at hand.
    """
    published, rows = published_lambda(), []
    wider = f"collection.learners.small.NestedLogistic(penalties={WIDER})"
    for task in _tasks():
        loaded = load_task(task)
        X, y = loaded.dataset.features.to_numpy(), loaded.labels
        chosen = find_learner(wider).make(None).fit(X, y).best_params_["lambda"]
        auc = [float(np.mean(list(_aucs(loaded, name)))) for name in ("NestedLogistic", wider)]
        rows.append((task.name, published[task.name], chosen, *auc))
    return pd.DataFrame(rows, columns=["dataset", "published", "chosen", "auc", "auc_wider"])


def _aucs(loaded, name: str) -> Iterator[float]:
    for fold in loaded.folds:
        yield next(evaluate(loaded, find_learner(name), fold.repeat,
                            fold.fold)).measures["auc"][2]
