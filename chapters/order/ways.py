"""Ways to say how sure an order is: ours, and those in use; each gives a rank's two ends."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.stats import rankdata, studentized_range

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.ordering import (
    Estimate,
    critical_square,
    estimate_ranks,
    least_families,
    rank_limits,
    tell_apart,
)
from analysis.published.computed import NotAtHandError

ALPHA, ELO_ROUNDS = 0.05, 200
OURS, FLIPS = "sign flips and resamples", "sign flips alone"
Limits = tuple[np.ndarray, np.ndarray]


def by_order(cells: Cells, draws: int, seed: int) -> Limits:
    """Order as `analysis.leaderboards.order` does, without its tables."""
    return limits(estimate_ranks(cells), draws, seed)[OURS][:2]


def by_flips(cells: Cells, draws: int, seed: int) -> Limits:
    """Take sign flips alone, which hold where differences are symmetric."""
    return limits(estimate_ranks(cells), draws, seed)[FLIPS][:2]


def limits(found: Estimate, draws: int,
           seed: int) -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """Return the ends of ranks, and the share of pairs told apart, of ours and of flips alone."""
    least = least_families(1 - ALPHA)
    chance = found.chance(least, draws, seed)
    differ = {way: tell_apart(found, critical_square(used, ALPHA), least)
              for way, used in ((OURS, chance), (FLIPS, chance[:1]))}
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


def by_naive_bootstrap(cells: Cells, draws: int, seed: int, alpha: float = ALPHA) -> Limits:
    """Take percentiles of the ranks of mean ranks, over resampled tasks: the usual way."""
    ranks = task_ranks(cells)
    n = len(ranks)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)
    resampled = rankdata(np.round(times @ ranks / n, 9), axis=1)
    low, high = np.percentile(resampled, (100 * alpha / 2, 100 * (1 - alpha / 2)), axis=0)
    return np.floor(low), np.ceil(high)


def by_bonferroni_bootstrap(cells: Cells, draws: int, seed: int) -> Limits:
    """Take them at a level divided by the number of methods."""
    return by_naive_bootstrap(cells, draws, seed, ALPHA / len(cells.methods))


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


def by_signed_ranks(cells: Cells, draws: int = 0, seed: int = 0) -> Limits:
    """Take Baycomp's signed-rank test of every pair, one at a time, at a posterior of 95 %."""
    from baycomp import SignedRankTest

    ranks = task_ranks(cells)
    methods = ranks.shape[1]
    better = np.zeros((methods, methods), bool)
    for one, other in zip(*np.triu_indices(methods, 1), strict=True):
        ahead, behind = SignedRankTest.probs(-ranks[:, one], -ranks[:, other], 0, nsamples=draws,
                                             random_state=seed)
        better[one, other], better[other, one] = ahead > 1 - ALPHA, behind > 1 - ALPHA
    return 1 + better.sum(axis=0), methods - better.sum(axis=1)


def by_elo_intervals(cells: Cells, draws: int = 0, seed: int = 0) -> Limits:
    """Take Elo ratings whose bootstrap intervals do not overlap, from TabArena's own engine.

    Raises
    ------
    NotAtHandError
        Where bencheval is not installed; it is no part of the environment.
    """
    if find_spec("bencheval") is None:
        raise NotAtHandError("bencheval is not installed.")
    from bencheval.evaluator import BenchmarkEvaluator

    ranks = task_ranks(cells)
    wide = pd.DataFrame(ranks, cells.tasks, cells.methods).rename_axis("task")
    table = wide.melt(ignore_index=False, var_name="method", value_name="metric_error")
    elo = BenchmarkEvaluator(columns_to_agg_extra=None).compute_elo(
        table.reset_index(), BOOTSTRAP_ROUNDS=ELO_ROUNDS).loc[list(cells.methods)]
    low, high = (elo["elo"] - elo["elo-"]).to_numpy(), (elo["elo"] + elo["elo+"]).to_numpy()
    better = low[:, None] > high[None, :]
    return 1 + better.sum(axis=0), len(low) - better.sum(axis=1)


#: Ways by the name that the chapter shows.
WAYS: dict[str, Callable[[Cells, int, int], Limits]] = {
    OURS: by_order,
    FLIPS: by_flips,
    "normal draws": by_normal_draws,
    "bootstrap of ranks": by_naive_bootstrap,
    "bootstrap of ranks, Bonferroni": by_bonferroni_bootstrap,
    "critical difference (autorank)": by_critical_difference,
    "signed ranks (baycomp)": by_signed_ranks,
    "Elo intervals (bencheval)": by_elo_intervals,
}
