"""What the error is worth: by class, in other measures, and split by a column noticed."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from analysis.report.metrics import ReportMetric
from collection.own_table.measure import Measurable, OwnTable, mean_error
from collection.protocol.rows import FOLDS, sizes_up_to

if TYPE_CHECKING:  # which loads scikit-learn
    from collection.own_table.alike import HiddenGroup

RARE = 0.25  # share of the rows below which a class is looked at by itself
BOTH_WAYS_SHARE = 0.25  # of the budget, at most, for splitting the other way too


def by_class(table: Measurable, predictions: np.ndarray) -> pd.DataFrame:
    """Return a row per class: ``class, rows, wrong, low, high, precision``.

    Parameters
    ----------
    table : Measurable
    predictions : ndarray, shape (n_rows, n_classes)
        Of each row while it was held out; NaN where it never was.

    Returns
    -------
    pandas.DataFrame
        ``wrong`` is the share of the class's rows that are called something else, with its 90 %
        range (Jeffreys); ``precision`` the share of what is called so that is; NaN where nothing
        is.
    """
    tested, classes = np.isfinite(predictions).all(1), len(table.classes)
    target, called = table.rows.target[tested], predictions[tested].argmax(1)
    rows, found, right = (np.bincount(one, minlength=classes)
                          for one in (target, called, target[called == target]))
    low, high = (betaincinv(rows - right + 0.5, right + 0.5, end) for end in (0.05, 0.95))
    with np.errstate(invalid="ignore"):  # a class without rows, or that nothing is called
        return pd.DataFrame({"class": table.classes, "rows": rows, "wrong": (rows - right) / rows,
                             "low": low, "high": high, "precision": right / found})


def beside(table: Measurable, predictions: np.ndarray) -> pd.DataFrame:
    """Return what else there is to say of the best learner: ``name, value, words``.

    AUC, recall and precision of the rarest class where it has under a quarter of the rows, and of
    several classes no other is nearly as rare; R² and both errors where numbers are predicted.
    """
    tested = np.isfinite(predictions if predictions.ndim == 1 else predictions.sum(1))
    target, predictions = table.rows.target[tested], predictions[tested]
    if table.rows.regression:
        off = predictions - target
        left = float((off**2).mean() / target.var())
        return pd.DataFrame([
            ("rmse", np.sqrt((off**2).mean()), "root mean squared error"),
            ("mae", np.abs(off).mean(), "mean absolute error"),
            ("r2", 1 - left, "R²: share of the variance that is explained"),
            ("spread_left", np.sqrt(left), "of the target's standard deviation is left"),
        ], columns=["name", "value", "words"])
    counts = np.bincount(target, minlength=len(table.classes)) / len(target)
    rare = int(counts.argmin())
    if not 0 < counts[rare] < RARE or (len(counts) > 2 and np.sort(counts)[1] < 2 * counts[rare]):
        return pd.DataFrame(columns=["name", "value", "words"])
    from sklearn.metrics import roc_auc_score  # which takes a while to load

    own, called = target == rare, predictions.argmax(1) == rare
    name = table.classes[rare]
    return pd.DataFrame([
        ("auc", roc_auc_score(own, predictions[:, rare]), f"AUC of {name!r} against the rest"),
        ("recall", called[own].mean(), f"of the rows of {name!r} are found (recall)"),
        ("precision", own[called].mean() if called.any() else np.nan,
         f"of what is called {name!r} is (precision)"),
    ], columns=["name", "value", "words"])


def both_ways(table: OwnTable, learner: str, metric: ReportMetric, seconds: pd.Series,
              budget: float) -> pd.DataFrame:
    """Measure a learner once more, split by what was noticed, beside splits at random.

    Parameters
    ----------
    table : OwnTable
        ``noticed`` names columns.
    learner : str
    metric : ReportMetric
    seconds : pandas.Series
        What its fits took, by size.
    budget : float
        Seconds, of which `BOTH_WAYS_SHARE` may be spent.

    Returns
    -------
    pandas.DataFrame
        ``kind`` ("time" or "group"), ``column, size, random, split``; a row for each column
        noticed, none where that would take too long.
    """
    rows = []
    for kind, (column, values) in table.noticed.items():
        if kind == "group" and values.max() + 1 < FOLDS:
            continue  # too few to be dealt to folds
        plain, split = table.measurable(times=None, groups=None), table.measurable(
            **{f"{kind}s": values})
        largest = min(plain.rows.largest(), split.rows.largest())
        quick = seconds[seconds * 2 * FOLDS <= BOTH_WAYS_SHARE * budget].index
        fitting = [n for n in sizes_up_to(largest) if len(quick) and n <= max(quick)]
        if not fitting:
            continue
        errors = [mean_error(one, learner, fitting[-1], metric.error) for one in (plain, split)]
        rows.append((kind, column, fitting[-1], *errors))
    return pd.DataFrame(rows, columns=["kind", "column", "size", "random", "split"])


def guards_left(table: OwnTable, ways: pd.DataFrame, hidden: HiddenGroup | None,
                untried: Sequence[str]) -> list[str]:
    """Say what no time was left to measure, and what is known of it all the same.

    Parameters
    ----------
    table : OwnTable
    ways : pandas.DataFrame
        From `both_ways`.
    hidden, untried
        From `collection.own_table.alike.find_groups`.
    """
    notes = []
    for kind, (column, _) in table.noticed.items():
        asks = quote(f"{kind.upper()}={column}")
        if column in ways["column"].to_list():
            continue
        if hidden and column == hidden.column:
            random, apart = (f"{np.sqrt(loss):.3g}" if table.regression else f"{loss:.1%}"
                             for loss in (hidden.random, hidden.apart))
            of = "root mean squared error" if table.regression else "error rate"
            left = (f"No time was left to measure the learners so; {asks} does."
                    if hidden.codes.max() + 1 >= FOLDS else
                    f"They are too few to be dealt to {FOLDS} folds.")
            notes.append(f"Warning: rows of one {column!r} resemble each other: a quick learner's "
                         f"{of} is {random} at random, {apart} for a new {column!r}. {left} All "
                         "else on this page is for more rows of those that are here.")
        else:
            notes.append(f"No time was left to measure the error split by {column!r}: {asks} does, "
                         "or BUDGET with more time.")
    if untried:
        notes.append("No time was left to see whether rows of one value resemble each other in "
                     f"{', '.join(map(repr, untried))}: BUDGET with more time does.")
    return notes
