"""PMLBmini: its 44 datasets and the gaps that they code, margins, and the paper's test of pairs.

The datasets are PMLB's files (``make small`` fetches them). The raw results, at full precision
behind Tables 3 and 4, are no part of the project: ``pmlbmini/`` in the folder that `published_dir`
names. What is computed from both is kept, in seconds, for the page *small_data*.
"""

import numpy as np
import pandas as pd

from analysis.comparison import load_baselines
from analysis.published.computed import NotAtHandError, recall
from analysis.statistics import signed_rank_tests
from collection.datasets import Dataset, load_dataset
from collection.datasets.pmlb_source import names, pmlb_folder
from collection.shipped.small import SUITE
from collection.suites.specs import find_suite
from collection.tasks import Task
from lab.published_files import at_hand

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


OTHERS = ("AutoPrognosis", "AutoGluon", "TabPFN", "HyperFast")  # than logistic regression
LOGISTIC = "Logistic regression"


def baseline_auc() -> pd.DataFrame:
    """Return AUC on held-out rows, datasets (by name) × methods run; NaN where a fit failed."""
    table = load_baselines().query("split == 'test' and status != 'not_run'")
    return table.pivot(index="dataset", columns="method", values="auc")


def published_results() -> pd.DataFrame:
    """Return the paper's results, those behind Table 3 at full precision.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``band`` (of rows), ``method``, ``split`` (train, test), ``auc``.

    Raises
    ------
    NotAtHandError
        Where the files are not in the folder of published data.
    """
    table = pd.read_csv(at_hand("pmlbmini", "results.csv"))
    table = table[table["edition"] == "paper"].rename(columns={"score": "auc"})
    return table[["dataset", "band", "method", "split", "auc"]].reset_index(drop=True)


def published_test_auc() -> pd.DataFrame:
    """Return the mean test AUC of Table 3's methods, datasets (by name) × methods.

    Raises `NotAtHandError` as `published_results`.
    """
    table = published_results()
    return table[table["split"] == "test"].pivot(index="dataset", columns="method", values="auc")


def round_half_up(auc: pd.DataFrame) -> pd.DataFrame:
    """Round to two decimals, halves up: as Table 3 is printed."""
    return np.floor(100 * auc + 0.5) / 100


def margins(auc: pd.DataFrame) -> pd.DataFrame:
    """Return the margin of the best other method by every rule, in percent.

    Parameters
    ----------
    auc : pandas.DataFrame
        Mean test AUC, datasets × methods, with logistic regression and `OTHERS`.

    Returns
    -------
    pandas.DataFrame
        Index of datasets; a column per rule: the best other's AUC minus logistic regression's, in
        hundredths of AUC, ``rounded`` first (whole) or of ``full`` precision.
    """
    best, base = auc[list(OTHERS)].max(axis=1), auc[LOGISTIC]
    printed = round_half_up(auc)
    top = printed[list(OTHERS)].max(axis=1)
    rounded = (100 * (top - printed[LOGISTIC])).round()
    return pd.DataFrame({"rounded": rounded, "full": 100 * (best - base)})


def published_tests() -> pd.DataFrame:
    """Return the adjusted p-values of all pairs, on all datasets and on the reduced ones.

    Returns
    -------
    pandas.DataFrame
        ``datasets`` (44 or 24), ``precision`` (full, rounded), and the columns of
        `signed_rank_tests`. Raises `NotAtHandError` without the raw results or the datasets.
    """
    auc = published_test_auc()
    kept = dataset_facts().set_index("dataset")["reduced"].reindex(auc.index)
    tables = [signed_rank_tests(values[rows]).assign(datasets=int(rows.sum()), precision=precision)
              for rows in (kept | True, kept)
              for precision, values in (("full", auc), ("rounded", round_half_up(auc)))]
    return pd.concat(tables, ignore_index=True)


def distinct_problems(datasets: list[str]) -> list[str]:
    """Leave out of twins, which hold the same rows recoded, all but the first by name.

    Parameters
    ----------
    datasets : list of str
        PMLB's names.
    """
    found = recall("suites_duplicates_pmlb")
    names = found[["dataset", "twin"]].apply(lambda column: column.str.removeprefix("pmlb:"))
    same = found["kind"].isin(["copy", "recoded"]) & names.isin(datasets).all(axis=1)
    second = names[same].max(axis=1)
    return [name for name in datasets if name not in set(second)]


KEPT = {"small_data_auc": lambda: published_test_auc().reset_index(),
        "small_data_margins": lambda: margins(published_test_auc()).reset_index(),
        "small_data_tests": published_tests, "small_data_datasets": dataset_facts,
        "small_data_gaps": coded_gaps}
