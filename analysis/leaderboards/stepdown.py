"""Which pairs of methods differ significantly, by a step-down of all of them.

Those told apart in one step no longer set what is asked of the others in the next (Romano and Wolf
2005, Econometrica 73), with the same draws.
"""

from dataclasses import dataclass

import numpy as np

from analysis.leaderboards.estimates import Estimate
from analysis.leaderboards.flips import on_one_scale

ROUNDING = 1e-9  # of statistics, relative


def least_families(level: float) -> int:
    """Return the families that it takes for any significant difference: six for intervals of 95 %.

    Were the signs of all their differences chance, they would all be the same, either way, in
    2^(1 − n) of tables.
    """
    return 1 + int(np.ceil(np.log2(1 / (1 - level)) - 1e-9))


def critical_square(chance: tuple[np.ndarray, ...], alpha: float) -> float:
    """Return the squared critical value, the larger of both: a pair above it has p ≤ alpha."""
    ends = [largest[-int(np.floor(alpha * len(largest) + 1e-9)) - 1] for largest in chance]
    return float(max(ends)) * (1 + ROUNDING)


def significant(estimate: Estimate, critical: float, least: int) -> np.ndarray:
    """Return which pairs differ significantly, shape (method, method), symmetric."""
    return (estimate.statistic > estimate.asked(critical)) & (estimate.common >= least)


def rank_limits(estimate: Estimate, differ: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the ranks' intervals: who differs significantly on either side."""
    better = (differ & (estimate.effect > 0)).sum(axis=0)
    worse = (differ & (estimate.effect < 0)).sum(axis=0)
    return 1 + better, len(differ) - worse


@dataclass(frozen=True)
class Told:
    """Which pairs are told apart.

    Attributes
    ----------
    p_adjusted : ndarray, shape (method, method)
    critical, first : float
        Squared critical values of the last step, above which pairs are told apart, and of the
        first, of all pairs, by which intervals of effects are made.
    chance : tuple of ndarray
        The largest statistics of the first step: of all flips, and of all resamples.
    """

    p_adjusted: np.ndarray
    critical: float
    first: float
    chance: tuple[np.ndarray, ...]


def step_down(estimate: Estimate, least: int, n_resamples: int, seed: int, alpha: float,
              ways: slice = slice(None)) -> Told:
    """Tell pairs apart until a step adds none.

    Parameters
    ----------
    estimate : Estimate
    least : int
        Families that both of a pair need.
    n_resamples, seed : int
    alpha : float
        Chance of telling any two apart that are equal.
    ways : slice
        Which of flips and resamples are looked at: by default both.
    """
    left = (estimate.common >= least) & ~np.eye(len(estimate.common), dtype=bool)
    reached = on_one_scale(estimate.statistic, estimate.freedom) * (1 - ROUNDING)
    p, least_p, steps, drawn = np.ones(left.shape), 0.0, [], (None, None)
    while left.any() or not steps:  # once even where nobody can differ
        drawn = estimate.chance(left, n_resamples, seed, drawn)
        chance = tuple(np.sort(best) for best, _ in drawn[ways])
        above = [np.maximum(len(x) - np.searchsorted(x, reached, "left"), 1) / len(x)
                 for x in chance]
        own = np.maximum(np.max(above, axis=0), 2.0 ** (1 - estimate.common))
        p[left] = np.clip(own, least_p, 1)[left]
        steps.append((critical_square(chance, alpha), chance))
        told = left & significant(estimate, steps[-1][0], least)
        if not told.any():
            break
        left, least_p = left & ~told, p[told].max()
    return Told(p, steps[-1][0], steps[0][0], steps[0][1])
