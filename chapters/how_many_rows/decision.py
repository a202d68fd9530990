"""Which of two learners to take on few rows: what always one, always the other or a trial costs.

A user has n rows of a table. Tuned logistic regression and a random forest are tried on them by
cross-validation; the truth is what each, trained on all n, errs on rows that the user never saw.
"""

import warnings
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from analysis.statistics.families import count_families
from analysis.statistics.sign_flips import family_p
from analysis.statistics.summary import summarise
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
LOGISTIC_RULE, FOREST_RULE = "always logistic regression", "always the forest"
TRIAL = "try both"
#: What one may do, and what one then errs, from columns of `COLUMNS`. A tie goes to the simpler.
RULES = {LOGISTIC_RULE: lambda t: t["logistic"], FOREST_RULE: lambda t: t["forest"],
         TRIAL: lambda t: t["forest"].where(t["cv_forest"] < t["cv_logistic"], t["logistic"])}


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


def regrets(tried: pd.DataFrame) -> pd.DataFrame:
    """Return what each rule costs, by the rows that one has.

    Parameters
    ----------
    tried : pandas.DataFrame
        From `try_tables`.

    Returns
    -------
    pandas.DataFrame
        ``rows``, ``rule`` (of `RULES`), ``regret, low, high`` (percentage points of error rate
        above the learner that is better on the table, at that size, in the mean over draws, which
        nobody knows beforehand; 95 % interval over families; below 0 where choosing anew for each
        draw beats that), ``less, less_low, less_high`` (the
        regret of cross-validation less that, paired), ``p`` (of it, by exact sign flips of
        families, not adjusted), ``n_tables`` (families), ``rightly`` (share of draws where the rule
        names who errs less there, ties counting).
    """
    rows = []
    for size, here in tried.groupby("rows"):
        said = pd.DataFrame({rule: errs(here) for rule, errs in RULES.items()})
        best = here[["logistic", "forest"]].min(axis=1)
        right = said.eq(best, axis=0).groupby(here["dataset"], sort=False).mean()
        mean = 100 * said.groupby(here["dataset"], sort=False).mean()
        regret = mean.sub(mean[list(RULES)[:2]].min(axis=1), axis=0)
        for rule in RULES:
            one = summarise(regret[rule], regret.index)
            apart = regret[TRIAL] - regret[rule]
            less, p = summarise(apart, apart.index), family_p(apart, apart.index)
            rows.append((size, rule, one.value, one.low, one.high, less.value, less.low, less.high,
                         p, count_families(apart.index), right[rule].mean()))
    return pd.DataFrame(rows, columns=["rows", "rule", "regret", "low", "high", "less", "less_low",
                                       "less_high", "p", "n_tables", "rightly"])
