"""PMLBmini's raw results, the baselines run here, and the paper's test of pairs.

The raw results, at full precision behind Tables 3 and 4, are no part of the project: ``pmlbmini/``
in the folder that `published_dir` names. What is computed from them is kept.
"""

from itertools import combinations
from pathlib import Path

import pandas as pd
from scipy.stats import wilcoxon

from analysis.published.computed import NotAtHandError, recall
from analysis.statistics.bootstrap import holm
from collection.project.paths import published_dir
from collection.running.pmlbmini import summarise
from collection.shipped.small import baseline_fits

OTHERS = ("AutoPrognosis", "AutoGluon", "TabPFN", "HyperFast")  # than logistic regression
LOGISTIC = "Logistic regression"
RESULT = ["dataset", "method", "split", "auc", "status", "hyperparameters"]
DIGITS = 12  # of differences: sums of the same numbers in another order are equal


def compare_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """Test every pair of methods as the paper does (Section 4.1): Wilcoxon's test, Holm's p.

    It is here to hold the paper's numbers against. What an order of one's own is worth says
    `analysis.leaderboards.order`.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per task, a column per method; more is better, none is missing.

    Returns
    -------
    pandas.DataFrame
        ``one``, ``other``; ``wins``, ``ties``, ``losses`` of the one; ``difference``, the median
        of one minus other; ``p`` (two-sided, ties left out, normal approximation with correction
        for continuity; 1 where all are equal) and ``p_adjusted`` (Holm, over all pairs).
    """
    rows = []
    for one, other in combinations(scores.columns, 2):
        gap = (scores[one] - scores[other]).round(DIGITS)
        p = wilcoxon(gap, method="approx", correction=True).pvalue if gap.any() else 1.0
        rows.append((one, other, int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum()),
                     gap.median(), p))
    table = pd.DataFrame(rows, columns=["one", "other", "wins", "ties", "losses", "difference",
                                        "p"])
    return table.assign(p_adjusted=holm(table["p"].to_numpy()))


def baseline_means() -> pd.DataFrame:
    """Return what was run here: means over the paper's three folds, and the training AUC.

    Returns
    -------
    pandas.DataFrame
        As `collection.running.pmlbmini.summarise`; `RESULT` are the columns of
        ``results/small_data/baselines.csv``.
    """
    return summarise(baseline_fits())


def baseline_auc() -> pd.DataFrame:
    """Return AUC on held-out rows, datasets (by name) × methods run; NaN where a fit failed."""
    table = baseline_means().query("split == 'test' and status != 'not_run'")
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
