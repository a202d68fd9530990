"""PMLBmini's raw results, which its authors published: at full precision behind Tables 3 and 4.

They are no part of the project: ``pmlbmini/`` in the folder that `published_dir` names. What is
computed from them is kept.
"""

from pathlib import Path

import pandas as pd

from analysis.published.computed import NotAtHandError, recall
from collection.project.paths import published_dir

OTHERS = ("AutoPrognosis", "AutoGluon", "TabPFN", "HyperFast")  # than logistic regression
LOGISTIC = "Logistic regression"


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
    table = pd.read_csv(_results_file())
    table = table[table["edition"] == "paper"].rename(columns={"score": "auc"})
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


def _results_file() -> Path:
    folder = published_dir()
    path = (folder or Path()) / "pmlbmini" / "results.csv"
    if not folder or not path.is_file():
        raise NotAtHandError(f"PMLBmini's raw results are not at hand: {path} is absent. "
                             "LEARNING_CURVES_PUBLISHED names the folder with pmlbmini/ in it.")
    return path
