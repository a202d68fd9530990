"""PMLBmini's raw results: margins over logistic regression, and the paper's test of pairs.

The raw results, at full precision behind Tables 3 and 4, are no part of the project: ``pmlbmini/``
in the folder that `published_dir` names. What is computed from them is kept, in seconds, for the
page *small_data*.
"""

import numpy as np
import pandas as pd

from analysis.comparison import load_baselines
from analysis.published.computed import recall
from analysis.statistics import signed_rank_tests
from lab.published_files import at_hand
from lab.small_data import dataset_facts

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
        "small_data_tests": published_tests}
