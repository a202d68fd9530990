"""PMLBmini's raw results, which its authors published: at full precision behind Tables 3 and 4.

They are no part of the project: ``pmlbmini/`` in the folder that `published_dir` names. What is
computed from them is kept.
"""

from pathlib import Path

import pandas as pd

from analysis.published.computed import NotAtHandError, recall
from collection.project.naming import check_known
from collection.project.paths import published_dir

EDITIONS = {"paper": "Table 3", "paper_table4": "Table 4"}
OTHERS = ("AutoPrognosis", "AutoGluon", "TabPFN", "HyperFast")  # than logistic regression
LOGISTIC = "Logistic regression"


def published_results(edition: str = "paper") -> pd.DataFrame:
    """Return the paper's results.

    Parameters
    ----------
    edition : {"paper", "paper_table4"}
        Behind Table 3 at full precision, or Table 4 as printed.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``band`` (of rows), ``method``, ``split`` (train, test), ``auc``.

    Raises
    ------
    NotAtHandError
        Where the files are not in the folder of published data.
    UnknownNameError
        For an unknown edition.
    """
    check_known("edition of the results", [edition], EDITIONS)
    table = pd.read_csv(_file("results.csv"))
    table = table[table["edition"] == edition].rename(columns={"score": "auc"})
    return table[["dataset", "band", "method", "split", "auc"]].reset_index(drop=True)


def published_test_auc() -> pd.DataFrame:
    """Return the mean test AUC of Table 3's methods, datasets (by name) × methods.

    Raises `NotAtHandError` as `published_results`.
    """
    table = published_results()
    return table[table["split"] == "test"].pivot(index="dataset", columns="method", values="auc")


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


def _file(name: str) -> Path:
    folder = published_dir()
    path = folder / "pmlbmini" / name if folder else None
    if path is None or not path.is_file():
        raise NotAtHandError(f"PMLBmini's raw results are not at hand: {path or name} is absent. "
                             "LEARNING_CURVES_PUBLISHED names the folder with pmlbmini/ in it.")
    return path
