"""Ways to say how sure an order is: ours, and those in use; each gives a rank's two ends."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.stats import rankdata, studentized_range, wilcoxon

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.estimates import BORROWED, Estimate, estimate_ranks, estimate_values
from analysis.leaderboards.stepdown import ALPHA, critical_square, step_down
from analysis.statistics.bootstrap import holm

OURS = "sign flips and resamples"
Limits = tuple[np.ndarray, np.ndarray, float]  # ends of ranks, share of pairs told apart


def as_cells(value: np.ndarray, sizes: np.ndarray) -> Cells:
    """Return values as cells, families side by side."""
    tasks, methods = value.shape
    names = [tuple(f"{k:04d}" for k in range(n)) for n in (methods, tasks, len(sizes))]
    return Cells(*names, np.r_[0, np.cumsum(sizes)[:-1]], value, np.full(value.shape, np.nan),
                 np.ones(value.shape, int), np.zeros(tasks, bool))


def by_order(cells: Cells, draws: int, seed: int) -> Limits:
    """Order as `analysis.leaderboards.order` does, without its tables."""
    return limits(estimate_ranks(cells), draws, seed)


def limits(found: Estimate, draws: int, seed: int) -> Limits:
    """Return the ends of ranks, and the share of pairs that differ."""
    told = step_down(found, draws, seed)
    return _told(found.level, told.p_adjusted <= ALPHA)


def _told(level: np.ndarray, differ: np.ndarray) -> Limits:
    """Return what pairs that differ say of ranks: who differs on either side."""
    better = np.round(level[None, :] - level[:, None], 12) * differ
    return (1 + (better > 0).sum(axis=0), len(level) - (better < 0).sum(axis=0),
            differ.mean() * len(level) / (len(level) - 1))


def estimate_scores(ranks: np.ndarray) -> Estimate:
    """Return the estimate of mean ranks that are given a family, not found anew from values."""
    families, methods = ranks.shape
    others = max(methods * (methods - 1) // 2 - 1, 0)
    return replace(estimate_values(as_cells(-ranks, np.ones(families, int))),
                   borrowed=min(BORROWED, others))


def by_normal_draws(ranks: np.ndarray, draws: int, seed: int) -> Limits:
    """Take the critical value of all pairs from normal draws, in steps, as csranks does."""
    found = replace(estimate_scores(ranks), borrowed=0)
    n, drawn = len(ranks), np.random.default_rng(seed).normal(size=(draws, len(ranks)))
    drawn = drawn @ (found.parts - found.parts.mean(axis=0)) * np.sqrt(n / (n - 1))
    one, other = np.triu_indices(drawn.shape[1], 1)
    squares, statistic = found.squares[one, other], found.statistic[one, other]
    weight = np.divide(1, squares, out=np.zeros(len(squares)), where=squares > 0)
    chance, left = (drawn[:, one] - drawn[:, other])**2 * weight, np.ones(len(squares), bool)
    while left.any():
        critical = critical_square((np.sort(chance[:, left].max(axis=1)),), ALPHA)
        if not (told := left & (statistic > critical)).any():
            break
        left &= ~told
    differ = np.zeros(found.squares.shape, bool)
    differ[one, other] = differ[other, one] = ~left
    return _told(found.level, differ)


def by_naive_bootstrap(ranks: np.ndarray, draws: int, seed: int) -> Limits:
    """Take percentiles of the ranks of mean ranks, over resampled tasks: the usual way.

    Ratings of the Elo kind, fitted to all pairs of a whole table, stand in the same order.
    """
    n = len(ranks)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)
    resampled = rankdata(np.round(times @ ranks / n, 9), axis=1)
    low, high = np.percentile(resampled, (100 * ALPHA / 2, 100 * (1 - ALPHA / 2)), axis=0)
    apart = np.ceil(high)[:, None] < np.floor(low)
    return np.floor(low), np.ceil(high), 2 * apart.mean() * len(low) / (len(low) - 1)


def by_critical_difference(ranks: np.ndarray, draws: int = 0, seed: int = 0) -> Limits:
    """Take Nemenyi's critical difference of mean ranks, as autorank does (Demšar 2006)."""
    n, methods = ranks.shape
    critical = _studentized(methods) * np.sqrt(methods * (methods + 1) / (12 * n))
    level = ranks.mean(axis=0)
    return _told(level, np.abs(level[None, :] - level[:, None]) > critical)


@cache
def _studentized(methods: int) -> float:
    """Return the critical value of the range of so many normal variables."""
    return studentized_range.ppf(1 - ALPHA, methods, np.inf)


def by_signed_ranks(ranks: np.ndarray, draws: int = 0, seed: int = 0) -> Limits:
    """Take Wilcoxon's signed ranks of each pair, adjusted by Holm (Benavoli and others 2016)."""
    one, other = np.triu_indices(ranks.shape[1], 1)
    apart = np.round(ranks[:, one] - ranks[:, other], 9)
    apart, same = apart[:, apart.any(axis=0)], ~apart.any(axis=0)
    p = np.ones(len(one))
    p[~same] = wilcoxon(apart, method="approx").pvalue
    differ = np.zeros((ranks.shape[1],) * 2, bool)
    differ[one, other] = differ[other, one] = holm(p) <= ALPHA
    return _told(ranks.mean(axis=0), differ)


def family_ranks(cells: Cells) -> np.ndarray:
    """Return mean ranks on each family's tasks, a row a family; missing counts as the worst."""
    ranks = rankdata(-np.nan_to_num(cells.value, nan=-np.inf), axis=1)
    return np.add.reduceat(ranks, cells.starts) / cells.sizes[:, None]


#: Ways in use, by the name that the chapter shows; each takes `family_ranks`.
RIVALS: dict[str, Callable[[np.ndarray, int, int], Limits]] = {
    "normal draws": by_normal_draws,
    "bootstrap of ranks": by_naive_bootstrap,
    "critical difference (autorank)": by_critical_difference,
    "signed ranks, Holm": by_signed_ranks,
}
