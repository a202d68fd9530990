"""How far a ranking of methods depends on which tasks happen to be in the suite.

Two disjoint suites of the same size are drawn from all tasks of a study, and each ranks the
methods by their mean rank. How well the two agree is the split-half reliability of a suite of that
size; how often they order a pair of methods differently is the probability of a swap.
"""

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from analysis.leaderboards.properties import SPREADS, at_length_one
from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.summary import TIE

SIZES = (2, 3, 5, 7, 10, 14, 20, 30, 44, 60, 72, 98)
ALPHA = 0.05


def suite_stability(ranks: pd.DataFrame, sizes: tuple[int, ...] = SIZES, draws: int = 1000,
                    seed: int = 0) -> pd.DataFrame:
    """Return how well two suites of the same size agree, for several sizes.

    Parameters
    ----------
    ranks : pandas.DataFrame
        A row per task, a column per method, 1 is best: from `task_ranks`. Near-duplicate tasks
        count once where their rows are averaged before.
    sizes : tuple of int
        Numbers of tasks; those above half of the tasks there are, which leave no second suite, are
        left out, and half of them is added.
    draws, seed : int
        Pairs of suites drawn for each size, and the seed.

    Returns
    -------
    pandas.DataFrame
        ``n_tasks`` of each suite; ``reliability``, the mean over draws of Spearman's
        correlation between the two orders of the methods' mean ranks; ``low`` and ``high``, between
        which 95 % of the draws fall; ``swap_probability``, the share of pairs of methods that the
        two suites order differently (equal in one of them: half).

    Raises
    ------
    ValueError
        For fewer than two tasks, of which no two suites can be drawn.
    """
    values, half, rows = ranks.to_numpy(float), len(ranks) // 2, []
    if not half:
        raise ValueError(f"Two suites are drawn from two tasks or more; there is {len(ranks)}.")
    for size in sorted({*(s for s in sizes if s <= half), half}):
        one, two = (drawn.mean(axis=1) for drawn in _two_suites(values, size, draws, seed))
        agreement = np.nan_to_num(rank_correlation(one, two))  # all equal: none
        low, high = percentile_interval(agreement[:, None])
        rows.append((size, agreement.mean(), low[0], high[0], _swaps(one, two).mean()))
    return pd.DataFrame(rows, columns=["n_tasks", "reliability", "low", "high",
                                       "swap_probability"])


def _two_suites(values: np.ndarray, size: int, draws: int,
                seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the methods' ranks on two disjoint suites, each of shape (draws, size, methods)."""
    rng = np.random.default_rng([seed, size])
    order = rng.random((draws, len(values))).argsort(axis=1)
    return values[order[:, :size]], values[order[:, size:2 * size]]


def _pair_signs(levels: np.ndarray) -> np.ndarray:
    """Return which of each pair has the larger level, by row; 0: neither."""
    i, j = np.triu_indices(levels.shape[1], 1)
    return np.sign(np.round(levels[:, i] - levels[:, j], 9))


def rank_correlation(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of rows; NaN where one of them is all equal."""
    a, b = (at_length_one(SPREADS["spearman"](np.round(x, 9).T)) for x in (one, other))
    return (a * b).sum(axis=0)


def _swaps(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the share of pairs in another order, per draw."""
    return np.abs(_pair_signs(one) - _pair_signs(two)).mean(axis=1) / 2


def claim_worth(ranks: pd.DataFrame, sizes: tuple[int, ...] = (10, 44, 72), draws: int = 200,
                seed: int = 0) -> pd.DataFrame:
    """Return how often 'A beats B on this suite' does not hold on another suite of the same size.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `task_ranks`.
    sizes : tuple of int
        Numbers of tasks; those above half of the tasks are left out.
    draws, seed : int
        Pairs of suites drawn, and the seed.

    Returns
    -------
    pandas.DataFrame
        A row per size and claim: ``claim`` is ``any`` (A's mean rank is better), ``significant``
        or ``not significant`` (Wilcoxon's signed-rank test of the two methods' ranks on the tasks,
        two-sided, at 0.05, not corrected for the number of pairs). ``share`` of all claims,
        ``reversed``: the share of these claims in which B beats A on the other suite.
    """
    values, rows = ranks.to_numpy(float), []
    i, j = np.triu_indices(values.shape[1], k=1)
    for size in (s for s in sizes if s <= len(values) // 2):
        first, second = _two_suites(values, size, draws, seed)
        claim, check = (_pair_signs(suite.mean(axis=1)) for suite in (first, second))
        sure = _significant(first[:, :, i] - first[:, :, j]) & (claim != 0)
        for name, which in (("any", claim != 0), ("significant", sure),
                            ("not significant", ~sure & (claim != 0))):
            rows.append((size, name, which.mean(),
                         (claim * check < 0)[which].mean() if which.any() else np.nan))
    return pd.DataFrame(rows, columns=["n_tasks", "claim", "share", "reversed"])


def _significant(differences: np.ndarray) -> np.ndarray:
    """Tell which differences, along the middle axis, are not 0 by Wilcoxon's test."""
    moved = np.where(differences == 0, TIE, differences)  # all equal: no test, and no difference
    p = wilcoxon(moved, axis=1, method="approx", zero_method="zsplit").pvalue
    return (p < ALPHA) & (differences != 0).any(axis=1)


def task_ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks of methods on each task.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``task, method, fold, error``. A missing error ranks last.

    Returns
    -------
    pandas.DataFrame
        A row per task, a column per method: the mid-rank (1 is best), averaged over the folds.
    """
    wide = scores.pivot(index=["task", "fold"], columns="method", values="error")
    return wide.rank(axis=1, na_option="bottom").groupby("task").mean()
