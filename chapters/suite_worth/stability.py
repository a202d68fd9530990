"""How far a ranking of methods depends on which tasks happen to be in the suite.

Two disjoint suites of the same size are drawn from all tasks of a study, and each ranks the
methods by their mean rank. How well the two agree is the split-half reliability of a suite of that
size; how often they order a pair of methods differently is the probability of a swap.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata, wilcoxon

from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.families import families
from analysis.statistics.summary import TIE

SIZES = (2, 3, 5, 7, 10, 14, 20, 30, 44, 60, 72, 98)
DRAWS = 1000
ALPHA = 0.05
FEWEST = 6  # tasks without which a test of signed ranks tells nobody apart
WINS = (0, 50, 55, 60, 65, 70, 80, 90, 100)  # percent: bands of how often the better one wins


def suite_stability(ranks: pd.DataFrame, source: str, sizes: tuple[int, ...] = SIZES,
                    draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """Return how well two suites of the same size agree, for several sizes.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `analysis.leaderboards.measures.task_ranks`.
    source : str
        Name of the study, for the column of that name.
    sizes : tuple of int
        Numbers of tasks; those above half of the tasks there are, which leave no second suite, are
        left out, and half of them is added.
    draws, seed : int
        Pairs of suites drawn for each size, and the seed.

    Returns
    -------
    pandas.DataFrame
        ``source``; ``n_tasks`` of each suite; ``reliability``, the mean over draws of Spearman's
        correlation between the two orders of the methods' mean ranks; ``low`` and ``high``, between
        which 95 % of the draws fall; ``swap_probability``, the share of pairs of methods that the
        two suites order differently (equal in one of them: half).
    """
    values, half = ranks.to_numpy(float), len(ranks) // 2
    rows = []
    for size in sorted({*(s for s in sizes if s <= half), half}):
        one, two = (drawn.mean(axis=1) for drawn in _two_suites(values, size, draws, seed))
        agreement = _spearman(one, two)
        low, high = percentile_interval(agreement[:, None])
        rows.append((source, size, agreement.mean(), low[0], high[0], _swaps(one, two).mean()))
    return pd.DataFrame(rows, columns=["source", "n_tasks", "reliability", "low", "high",
                                       "swap_probability"])


def _two_suites(values: np.ndarray, size: int, draws: int,
                seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the methods' ranks on two disjoint suites, each of shape (draws, size, methods)."""
    rng = np.random.default_rng([seed, size])
    order = rng.random((draws, len(values))).argsort(axis=1)
    return values[order[:, :size]], values[order[:, size:2 * size]]


def _spearman(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of each row of `one` with that of `two`; 0 if all are equal."""
    a, b = (rankdata(x, axis=1) for x in (one, two))
    a, b = (x - x.mean(axis=1, keepdims=True) for x in (a, b))
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.divide((a * b).sum(axis=1), scale, out=np.zeros(len(a)), where=scale > 0)


def _swaps(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the share of pairs in another order, per draw."""
    return np.abs(_signs(one) - _signs(two)).mean(axis=1) / 2


def _signs(means: np.ndarray) -> np.ndarray:
    """Return which of each pair has the larger mean rank, shape (draws, pairs); 0 for neither."""
    i, j = np.triu_indices(means.shape[1], k=1)
    return np.sign(np.round(means[:, i] - means[:, j], 9))


def claim_worth(ranks: pd.DataFrame, source: str, sizes: tuple[int, ...] = (10, 44, 72),
                draws: int = 200, seed: int = 0) -> pd.DataFrame:
    """Return how often 'A beats B on this suite' does not hold on another suite of the same size.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `task_ranks`.
    source : str
        Name of the study.
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
        claim, check = (_signs(suite.mean(axis=1)) for suite in (first, second))
        sure = _significant(first[:, :, i] - first[:, :, j]) & (claim != 0)
        for name, which in (("any", claim != 0), ("significant", sure),
                            ("not significant", ~sure & (claim != 0))):
            rows.append((source, size, name, which.mean(),
                         (claim * check < 0)[which].mean() if which.any() else np.nan))
    return pd.DataFrame(rows, columns=["source", "n_tasks", "claim", "share", "reversed"])


def _significant(differences: np.ndarray) -> np.ndarray:
    """Tell which differences, along the middle axis, are not 0 by Wilcoxon's test."""
    moved = np.where(differences == 0, TIE, differences)  # all equal: no test, and no difference
    p = wilcoxon(moved, axis=1, method="approx", zero_method="zsplit").pvalue
    return (p < ALPHA) & (differences != 0).any(axis=1)


def pair_needs(ranks: pd.DataFrame, source: str, power: float = 0.8,
               family: Sequence[str] | None = None) -> pd.DataFrame:
    """Return how many tasks it takes to tell each two methods apart.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `analysis.leaderboards.measures.task_ranks`.
    source : str
        Name of the study.
    power : float
        Chance with which a test of this pair alone, at 0.05, is to tell them apart.
    family : sequence of str, optional
        Of each task; by default `analysis.statistics.families` of the tasks' labels as datasets.

    Returns
    -------
    pandas.DataFrame
        A row per pair, the better one as ``one``: ``source, one, other``; ``wins``, on what share
        of the tasks it has the better rank (equal: half); ``effect``, the mean difference of ranks
        in standard deviations; ``tasks``, families of tasks as these that are needed (normal
        approximation, at least six; infinite without an effect); ``n_families`` there are.
        Near-duplicate tasks count as one, with their mean.
    """
    family = families(ranks.index) if family is None else np.asarray(family, object)
    of_family = ranks.groupby(family).mean()
    quantiles = norm.isf(ALPHA / 2) + norm.ppf(power)
    rows = []
    for one, other in combinations(of_family.mean().sort_values(kind="stable").index, 2):
        gap = (of_family[other] - of_family[one]).to_numpy()
        effect = gap.mean() / max(gap.std(ddof=1), TIE)
        tasks = max(np.ceil((quantiles / effect) ** 2), FEWEST) if effect > TIE else np.inf
        wins = (gap > TIE).mean() + (np.abs(gap) <= TIE).mean() / 2
        rows.append((source, one, other, wins, effect, tasks, len(gap)))
    return pd.DataFrame(rows, columns=["source", "one", "other", "wins", "effect", "tasks",
                                       "n_families"])


def needs_by_wins(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the tasks that pairs need by how often the better one wins.

    Parameters
    ----------
    pairs : pandas.DataFrame
        From `pair_needs`, of one study or several.

    Returns
    -------
    pandas.DataFrame
        ``wins`` (a band of percent), ``pairs``, and the ``median``, ``lower_quartile`` and
        ``upper_quartile`` of the tasks needed; bands without a pair are left out.
    """
    labels = [f"{low} to {high} %" for low, high in pairwise(WINS)]
    band = pd.cut(100 * pairs["wins"], WINS, labels=labels, include_lowest=True)
    found = pairs["tasks"].groupby(band, observed=True)
    ends = {name: partial(pd.Series.quantile, q=q, interpolation="lower")
            for name, q in (("lower_quartile", 0.25), ("upper_quartile", 0.75))}
    return found.agg(pairs="size", median="median", **ends).reset_index()
