"""By how much others beat logistic regression, and what rounding does to it."""

import numpy as np
import pandas as pd

from chapters.small_data.datasets import dataset_facts
from lab.pmlbmini import LOGISTIC, OTHERS, compare_pairs, published_test_auc

PERCENTS = (0, 1, 2, 3)


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
        hundredths of AUC, ``rounded`` first (whole) or of ``full`` precision, or ``relative``,
        the rounded in percent of the best AUC.
    """
    best, base = auc[list(OTHERS)].max(axis=1), auc[LOGISTIC]
    printed = round_half_up(auc)
    top = printed[list(OTHERS)].max(axis=1)
    rounded = (100 * (top - printed[LOGISTIC])).round()
    return pd.DataFrame({"rounded": rounded, "full": 100 * (best - base),
                         "relative": rounded / top})


def share_within(margin: pd.DataFrame, limits: tuple[float, ...] = PERCENTS) -> pd.DataFrame:
    """Return on how many datasets logistic regression lies within so many percent of the best.

    Returns
    -------
    pandas.DataFrame
        ``rule, within, n_datasets, of, percent``; a margin that equals the limit is within it.
    """
    rows = [(rule, limit, int((margin[rule] <= limit + 1e-9).sum()), len(margin))
            for rule in margin for limit in limits]
    table = pd.DataFrame(rows, columns=["rule", "within", "n_datasets", "of"])
    return table.assign(percent=100 * table["n_datasets"] / table["of"])


def published_margins() -> pd.DataFrame:
    """Return `margins` of the paper's raw results; raises `NotAtHandError` without them."""
    return margins(published_test_auc()).rename_axis("dataset").reset_index()


def published_auc() -> pd.DataFrame:
    """Return `published_test_auc` with ``dataset`` as a column."""
    return published_test_auc().reset_index()


def published_tests() -> pd.DataFrame:
    """Return the adjusted p-values of all pairs, on all datasets and on the reduced ones.

    Returns
    -------
    pandas.DataFrame
        ``datasets`` (44 or 24), ``precision`` (full, rounded), and the columns of `compare_pairs`.
        Raises `NotAtHandError` without the raw results or the datasets.
    """
    auc = published_test_auc()
    kept = dataset_facts().set_index("dataset")["reduced"].reindex(auc.index)
    tables = [compare_pairs(values[rows]).assign(datasets=int(rows.sum()), precision=precision)
              for rows in (kept | True, kept)
              for precision, values in (("full", auc), ("rounded", round_half_up(auc)))]
    return pd.concat(tables, ignore_index=True)


def p_against(pairs: pd.DataFrame) -> pd.Series:
    """Return the adjusted p of each method against logistic regression, of `compare_pairs`."""
    ours = pairs[(pairs["one"] == LOGISTIC) | (pairs["other"] == LOGISTIC)]
    other = ours["one"].where(ours["one"] != LOGISTIC, ours["other"])
    return ours["p_adjusted"].set_axis(other)
