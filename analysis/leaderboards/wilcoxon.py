"""Which pairs of methods differ: Wilcoxon's signed-rank tests, adjusted by Holm's procedure.

As in PMLBmini (Section 4.1), after Demšar (2006) and Benavoli et al. (2016), who advise against
post-hoc tests on mean ranks: a pair's verdict should not hang on which others are compared.
Whether they differ enough to matter says the Bayesian signed-rank test with a region of equals,
after Benavoli, Corani, Demšar and Zaffalon (2017), by their package ``baycomp``.
"""

import warnings
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from matplotlib.figure import Figure
from scipy.stats import wilcoxon

from analysis.drawing.charts import figure
from analysis.statistics.sign_flips import holm

DRAWS = 5000
ROPE = 0.01  # AUC; less than that is no difference in practice
DIGITS = 12  # of differences: sums of the same numbers in another order are equal
FEW = 10  # different scores, below which the normal approximation is poor


def compare_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """Test every pair of methods.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per task, a column per method; more is better, none is missing.

    Returns
    -------
    pandas.DataFrame
        ``one``, ``other``; ``wins``, ``ties``, ``losses`` of the one; ``difference``, the median
        of one minus other; ``p`` (two-sided, equal scores left out; normal
        approximation with correction for continuity, exact for fewer than `FEW` different ones; 1
        where all are equal) and ``p_adjusted`` (Holm, over all pairs).
    """
    rows = []
    for one, other in combinations(scores.columns, 2):
        gap = (scores[one] - scores[other]).round(DIGITS)
        p = _p_value(gap[gap != 0].to_numpy())
        rows.append((one, other, int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum()),
                     gap.median(), p))
    table = pd.DataFrame(rows, columns=["one", "other", "wins", "ties", "losses", "difference",
                                        "p"])
    return table.assign(p_adjusted=holm(table["p"].to_numpy()))


def _p_value(gap: np.ndarray) -> float:
    if not len(gap):
        return 1.0
    if len(gap) < FEW and len(set(np.abs(gap))) == len(gap):
        return wilcoxon(gap, method="exact").pvalue
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few tasks, which the caller knows
        return wilcoxon(gap, method="approx", correction=True).pvalue


def mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Return the mean rank of each method over tasks, the best first (1: always the best)."""
    return scores.round(DIGITS).rank(axis=1, ascending=False).mean().sort_values(kind="stable")


def similar_groups(ranks: pd.Series, pairs: pd.DataFrame, alpha: float = 0.05) -> list[list[str]]:
    """Return the largest runs of methods, in the order of ranks, that no pair of tells apart.

    Parameters
    ----------
    ranks : pandas.Series
        From `mean_ranks`.
    pairs : pandas.DataFrame
        From `compare_pairs`.
    alpha : float
        Level for the adjusted p-values.
    """
    differ = {frozenset((row.one, row.other)) for row in pairs.itertuples()
              if row.p_adjusted < alpha}
    order, groups = list(ranks.index), []
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((m, order[stop])) in differ
                                            for m in order[start:stop]):
            stop += 1
        if stop - start > 1 and not (groups and groups[-1][-1] == order[stop - 1]):
            groups.append(order[start:stop])
    return groups


@figure
def draw_ranks(ranks: pd.Series, groups: list[list[str]]) -> Figure:
    """Draw mean ranks, best on top; a bar joins methods that are not told apart.

    No `Chart`: a critical difference diagram has bars that belong to several rows.

    Parameters
    ----------
    ranks : pandas.Series
        From `mean_ranks`.
    groups : list of list of str
        From `similar_groups`.
    """
    drawn, ax = plt.subplots(figsize=(7, 0.9 + 0.3 * len(ranks)))
    rows = dict(zip(ranks.index, range(len(ranks)), strict=True))
    ax.plot(ranks.to_numpy(), list(rows.values()), "o", color="#0072B2")
    left = ranks.min() - 0.25
    for k, group in enumerate(groups):
        at = left - 0.12 * k
        ax.plot([at, at], [rows[group[0]] - 0.15, rows[group[-1]] + 0.15], color="black", lw=4,
                solid_capstyle="butt")
    for name, row in rows.items():
        ax.annotate(f"{ranks[name]:.2f}", (ranks[name], row), xytext=(7, 0), va="center",
                    textcoords="offset points", fontsize="small")
    ax.set_yticks(list(rows.values()), list(rows))
    ax.set_ylim(len(ranks) - 0.5, -0.5)
    ax.set_xlim(left - 0.12 * len(groups) - 0.1, ranks.max() + 0.5)
    ax.set_xlabel("mean rank (1: always the best)")
    return drawn


def practical_differences(scores: pd.DataFrame, against: str, rope: float = ROPE,
                          draws: int = DRAWS) -> pd.DataFrame:
    """Compare every method with one of them, over tasks.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per task, a column per method; more is better, none is missing.
    against : str
        The method that the others are held against.
    rope : float
        Differences up to this count as none: the region of practical equivalence.
    draws : int
        Of the posterior.

    Returns
    -------
    pandas.DataFrame
        A row per other method: ``method``, ``against``; ``wins``, ``ties``, ``losses``, tasks on
        which it is better by more than `rope`, within it, worse; ``p_better``, ``p_equal``,
        ``p_worse``, the posterior probabilities that this is the likeliest of the three outcomes
        over tasks of that kind (they sum to 1).

    Raises
    ------
    ValueError
        For a `rope` that is not above 0.
    """
    if rope <= 0:
        raise ValueError(f"a region of practical equivalence above 0 is needed, not {rope}")
    rows = []
    for method in scores.columns.drop(against):
        gap = (scores[method] - scores[against]).round(DIGITS)
        worse, equal, better = SignedRankTest.probs(
            scores[against].to_numpy(), scores[method].to_numpy(), rope, nsamples=draws,
            random_state=0)
        rows.append((method, against, int((gap > rope).sum()), int((gap.abs() <= rope).sum()),
                     int((gap < -rope).sum()), better, equal, worse))
    return pd.DataFrame(rows, columns=["method", "against", "wins", "ties", "losses", "p_better",
                                       "p_equal", "p_worse"])
