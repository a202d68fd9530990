"""Which of two learners to take on few rows: what always one, always the other or a trial costs.

A user has n rows of a table. Tuned logistic regression and a random forest are tried on them by
cross-validation; the truth is what each, trained on all n, errs on rows that the user never saw.
Kept as ``small_data_decision`` (some minutes), for the page on how many rows.
"""

import warnings
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from collection.datasets import load_dataset
from collection.own_table.measure import Measurable, as_measurable, fit_model
from collection.suites.specs import find_suite

SUITE = "classic"
SIZES = (50, 100, 200, 500)  # rows that a user has
LOGISTIC, FOREST = "LogisticRegression", "ens.RandomForest"  # of `collection.own_table.learners`
DRAWS = 5  # of the rows that a user has, per table
FOLDS = 5
PER_CLASS = 5  # rows that there have to be per class: fewer cannot be put into folds
LEAST_TESTED, MOST_TESTED = 100, 4000  # rows left out
COLUMNS = ("dataset", "rows", "draw", "tested", "logistic", "forest", "cv_logistic", "cv_forest")


def try_tables(specs: Iterable[str] = (), sizes: Sequence[int] = SIZES,
               draws: int = DRAWS) -> pd.DataFrame:
    """Try both learners on parts of tables, and measure them on the rows left out.

    Parameters
    ----------
    specs : iterable of str
        Datasets of two or more classes; none stands for those of the suite `SUITE`.
    sizes : sequence of int
        Rows of the parts: the first of a shuffled table, so that larger ones hold smaller ones.
    draws : int
        How often a table is shuffled.

    Returns
    -------
    pandas.DataFrame
        A row per table, size and draw, `COLUMNS`: ``tested`` (rows left out that count),
        ``logistic, forest`` (error rates there), ``cv_logistic, cv_forest`` (error rates by
        cross-validation on the part). Tables that are too small for a size have no row of it.
    """
    specs = list(specs) or [task.dataset for task in find_suite(SUITE).tasks]
    return pd.DataFrame([row for spec in specs for row in _try_table(spec, sizes, draws)],
                        columns=list(COLUMNS))


def _try_table(spec: str, sizes: Sequence[int], draws: int) -> Iterable[tuple]:
    dataset = load_dataset(spec)
    table = as_measurable(dataset.features.assign(**{dataset.target_name: dataset.target}),
                          dataset.target_name, False)
    n = dataset.n_rows
    for draw in range(draws):
        seed = [zlib.crc32(spec.encode()), draw]
        order = np.random.default_rng(seed).permutation(n)
        for size in sizes:
            if n - size < LEAST_TESTED or size < PER_CLASS * len(table.classes):
                continue
            own, rest = order[:size], order[size:][-MOST_TESTED:]
            yield (spec, size, draw, len(rest),
                   *(_wrong(table, name, own, rest).mean() for name in (LOGISTIC, FOREST)),
                   *(cross_validated(table, name, own, draw) for name in (LOGISTIC, FOREST)))


def cross_validated(table: Measurable, learner: str, rows: np.ndarray, seed: int = 0) -> float:
    """Return a learner's error rate by stratified cross-validation on some rows of a table."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        parts = list(folds.split(rows, table.rows.target[rows]))
    wrong = [_wrong(table, learner, rows[train], rows[test]) for train, test in parts]
    return float(np.concatenate(wrong).mean())


def _wrong(table: Measurable, learner: str, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    return fit_model(table, learner, train, test).argmax(axis=1) != table.rows.target[test]


KEPT = {"small_data_decision": try_tables}
