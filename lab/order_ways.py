"""Ways to say how sure an order is: ours, and those in use; each gives a rank's two ends."""

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata, studentized_range

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.estimates import Estimate, estimate_ranks
from analysis.leaderboards.stepdown import critical_square, least_families, rank_limits, step_down

ALPHA = 0.05
OURS, FLIPS = "sign flips and resamples", "sign flips alone"
NO_TWINS = f"{OURS}, twins aside"
Limits = tuple[np.ndarray, np.ndarray]


def as_cells(value: np.ndarray, sizes: np.ndarray) -> Cells:
    """Return values as cells, families side by side."""
    tasks, methods = value.shape
    names = [tuple(f"{k:04d}" for k in range(n)) for n in (methods, tasks, len(sizes))]
    return Cells(*names, np.r_[0, np.cumsum(sizes)[:-1]], value, np.full(value.shape, np.nan),
                 np.ones(value.shape, int), np.zeros(tasks, bool))


def by_order(cells: Cells, draws: int, seed: int) -> Limits:
    """Order as `analysis.leaderboards.order` does, without its tables."""
    return limits(estimate_ranks(cells), draws, seed)[OURS][:2]


def limits(found: Estimate, draws: int, seed: int, twins: np.ndarray | None = None
           ) -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """Return the ends of ranks, and the share of pairs that differ, of ours and of flips alone.

    Where there are ``twins``, shape (method, method), of ours without these pairs as well.
    """
    least = least_families(1 - ALPHA)
    differ = {way: step_down(found, least, draws, seed, ALPHA, used).p_adjusted <= ALPHA
              for way, used in ((OURS, slice(None)), (FLIPS, slice(1)))}
    if twins is not None and twins.any():
        differ[NO_TWINS] = differ[OURS] & ~twins
    return {way: (*rank_limits(found, d), d.sum() / (len(d) * (len(d) - 1)))
            for way, d in differ.items()}


def by_normal_draws(cells: Cells, draws: int, seed: int) -> Limits:
    """Take the critical value of the same pairs from normal draws, as csranks does."""
    found = estimate_ranks(cells)
    rng = np.random.default_rng(seed)
    n = len(found.parts)
    drawn = rng.normal(size=(draws, n)) @ (found.parts - found.parts.mean(axis=0))
    drawn *= np.sqrt(n / (n - 1))
    one, other = np.triu_indices(drawn.shape[1], 1)
    squares = found.squares[one, other]
    weight = np.divide(1, squares, out=np.zeros(len(squares)), where=squares > 0)
    largest = np.sort(((drawn[:, one] - drawn[:, other])**2 * weight).max(axis=1))
    return rank_limits(found, found.statistic > critical_square((largest,), ALPHA))


def by_naive_bootstrap(cells: Cells, draws: int, seed: int) -> Limits:
    """Take percentiles of the ranks of mean ranks, over resampled tasks: the usual way."""
    ranks = task_ranks(cells)
    n = len(ranks)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)
    resampled = rankdata(np.round(times @ ranks / n, 9), axis=1)
    low, high = np.percentile(resampled, (100 * ALPHA / 2, 100 * (1 - ALPHA / 2)), axis=0)
    return np.floor(low), np.ceil(high)


def by_critical_difference(cells: Cells, draws: int = 0, seed: int = 0) -> Limits:
    """Take Nemenyi's critical difference of mean ranks, as autorank does (Demšar 2006)."""
    ranks = task_ranks(cells)
    n, methods = ranks.shape
    critical = studentized_range.ppf(1 - ALPHA, methods, np.inf) / np.sqrt(2)
    critical *= np.sqrt(methods * (methods + 1) / (6 * n))
    level = ranks.mean(axis=0)
    ahead = level[None, :] - level[:, None]
    return 1 + (ahead > critical).sum(axis=0), methods - (ahead < -critical).sum(axis=0)


def task_ranks(cells: Cells) -> np.ndarray:
    """Return ranks on each task, every task a row; missing counts as the worst."""
    return rankdata(-np.nan_to_num(cells.value, nan=-np.inf), axis=1)


#: Ways in use, by the name that the chapter shows.
RIVALS: dict[str, Callable[[Cells, int, int], Limits]] = {
    "normal draws": by_normal_draws,
    "bootstrap of ranks": by_naive_bootstrap,
    "critical difference (autorank)": by_critical_difference,
}
