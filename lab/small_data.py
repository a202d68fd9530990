"""What PMLBmini's 44 datasets are like: sizes, and gaps that are coded as values.

Kept, in seconds, from PMLB's files (``make small`` fetches them); read by the page *small_data*.
"""

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.datasets import Dataset, load_dataset
from collection.datasets.pmlb_source import names, pmlb_folder
from collection.shipped.small import SUITE
from collection.suites.specs import find_suite
from collection.tasks import Task

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


KEPT = {"small_data_datasets": dataset_facts, "small_data_gaps": coded_gaps}
