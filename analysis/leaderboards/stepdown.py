"""Which pairs of methods differ significantly, by a step-down of all of them.

Those told apart in one step no longer set what is asked of the others in the next (Romano and Wolf
2005, Econometrica 73), with the same draws. Beside it: how many families of tasks it takes to tell
two methods apart, and on which families it hangs that a method may not be first.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.estimates import POWER, Estimate
from analysis.leaderboards.flips import from_one_scale, on_one_scale

ALPHA = 0.05  # chance that any two are told apart that are equal, of all pairs together
#: Families that it takes for any significant difference: were the signs of their differences
#: chance, they would all be the same, either way, in 2^(1 − n) of tables.
LEAST = 6
ROUNDING = 1e-9  # of statistics, relative
INNER = 0.8  # of the interval of the tasks needed
HALVINGS = 40  # of the search, from `MOST` families on
MOST = 1e12
#: Share of the level that is spent where more pairs than so many count; at all of it intervals hold
#: in 92 to 94 % of tables of equal methods (`lab.order_coverage`), not in 95.
MANY_PAIRS, STRICTER = 1000, 0.8


def critical_square(chance: tuple[np.ndarray, ...], alpha: float) -> float:
    """Return the squared critical value, the larger of both: a pair above it has p ≤ alpha."""
    ends = [largest[-int(np.floor(alpha * len(largest) + 1e-9)) - 1] for largest in chance]
    return float(max(ends)) * (1 + ROUNDING)


def significant(estimate: Estimate, critical: float) -> np.ndarray:
    """Return which pairs differ significantly, shape (method, method), symmetric."""
    return (estimate.statistic > estimate.asked(critical)) & (estimate.common >= LEAST)


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
    """

    p_adjusted: np.ndarray
    critical: float
    first: float


def step_down(estimate: Estimate, n_resamples: int, seed: int) -> Told:
    """Tell pairs apart until a step adds none.

    Parameters
    ----------
    estimate : Estimate
    n_resamples, seed : int
    """
    left = (estimate.common >= LEAST) & ~np.eye(len(estimate.common), dtype=bool)
    reached = on_one_scale(estimate.statistic, estimate.freedom) * (1 - ROUNDING)
    p, least_p, steps, drawn = np.ones(left.shape), 0.0, [], (None, None)
    spent = STRICTER if left.sum() / 2 > MANY_PAIRS else 1.0  # of `ALPHA`
    while left.any() or not steps:  # once even where nobody can differ
        drawn = estimate.chance(left, n_resamples, seed, drawn)
        chance = tuple(np.sort(best) for best, _ in drawn)
        above = [np.maximum(len(x) - np.searchsorted(x, reached, "left"), 1) / len(x)
                 for x in chance]
        own = np.maximum(np.max(above, axis=0) / spent, 2.0 ** (1 - estimate.common))
        p[left] = np.clip(own, least_p, 1)[left]
        steps.append(critical_square(chance, ALPHA * spent))
        told = left & significant(estimate, steps[-1])
        if not told.any():
            break
        left, least_p = left & ~told, p[told].max()
    return Told(p, steps[-1], steps[0])


def tasks_needed(estimate: Estimate, one: np.ndarray, other: np.ndarray, critical: float
                 ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the families with which pairs differ significantly with a chance of 80 %.

    Were the effect and its spread what they seem. With few families the critical value is as large
    as Student's t makes it, and with more it falls; and pairs farther apart, told by then, no
    longer set it. What is asked is the value at that number, of the pairs that are left.

    Parameters
    ----------
    estimate : Estimate
    one, other : ndarray of int
        The better of each pair, and the other.
    critical : float
        Squared critical value at today's number of families.

    Returns
    -------
    tuple of ndarray
        Families needed, and the ends of their interval of `INNER`, by Student's t; infinite where
        the effect may be nil.
    """
    n = estimate.common[one, other].astype(float)
    freedom = np.maximum(n - 1, 1)
    today = (on_one_scale(np.full(len(n), critical), freedom + estimate.borrowed)
              if np.isinf(estimate.freedom).all() else np.full(len(n), critical))
    own = np.round(estimate.statistic[one, other], 9)
    left = np.sort(own[own <= estimate.asked(critical)[one, other]])
    nearer = np.clip(np.searchsorted(left, own, "right"), 1, max(len(left), 1))
    scaled = norm.isf(norm.sf(np.sqrt(today)) * max(len(left), 1) / nearer)**2
    error = np.sqrt(estimate.squares[one, other])
    weight, lent = (x[one, other] for x in estimate.lent[:2])
    pool = np.divide(lent, weight, out=np.zeros(len(n)), where=weight > 0)
    need = partial(_families, squares=error**2 * n, pool=pool * n, scaled=scaled,
                   borrowed=estimate.borrowed)
    inner = np.sqrt(from_one_scale(norm.ppf((1 + INNER) / 2)**2, freedom)) * error
    effect = estimate.effect[one, other]
    return need(effect), need(effect + inner), need(effect - inner)


def _families(effect: np.ndarray, squares: np.ndarray, pool: np.ndarray, scaled: np.ndarray,
              borrowed: int) -> np.ndarray:
    """Return the families for effects, by halving; variances are those of one family."""
    low, high = np.full(len(effect), np.log(LEAST)), np.full(len(effect), np.log(MOST))
    power, todo = norm.ppf(POWER) * np.sqrt(squares), np.flatnonzero(effect > 0)

    def whole(log: np.ndarray) -> np.ndarray:
        return np.maximum(np.ceil(np.exp(log) * (1 - 1e-9)), LEAST)

    for _ in range(HALVINGS):
        middle = (low[todo] + high[todo]) / 2
        n = np.exp(middle)
        weight = borrowed / (borrowed + n - 1)
        asked = power[todo] + np.sqrt(from_one_scale(scaled[todo], borrowed + n - 1) * (
            (1 - weight) * squares[todo] + weight * pool[todo]))
        enough = effect[todo] * np.sqrt(n) >= asked
        low[todo[~enough]], high[todo[enough]] = middle[~enough], middle[enough]
        todo = todo[whole(high[todo]) > whole(low[todo])]
    return np.where((effect > 0) & (whole(high) < MOST / 2), whole(high), np.inf)


def may_be_first_without(cells: Cells, estimate: Estimate, critical: float
                         ) -> pd.DataFrame:
    """Return which one or two families, left out, let a method be first that now may not be.

    The critical value stays. Two families are looked for where no single one will do: the two that
    speak most for those ahead.

    Returns
    -------
    pandas.DataFrame
        ``tasks, method``; the fewest families first.
    """
    ahead = significant(estimate, critical) & (estimate.effect > 0)
    asked = estimate.asked(critical)
    rows, families = [], np.array(cells.families, object)
    for method in np.flatnonzero(ahead.any(axis=0)):
        better = np.flatnonzero(ahead[:, method])
        gap = estimate.parts[:, [method]] - estimate.parts[:, better]
        most = np.round(gap / np.abs(gap).max(), 12)  # of equal ones, the first
        tried = [np.array([k]) for k in dict.fromkeys(most.argmax(axis=0))]
        if len(better) == 1:
            order_ = np.argsort(-most[:, 0], kind="stable")
            tried = [order_[:1], order_[:2]]
        for out in tried:
            left, at = np.delete(gap, out, axis=0), (method, better)
            sums, squares = left.sum(axis=0), np.square(left).sum(axis=0)
            if not (_without(estimate, sums, squares, len(out), at) > asked[at]).any():
                rows.append((len(out), " and ".join(sorted(families[out])), cells.methods[method]))
                break
    rows = sorted(set(rows))
    return pd.DataFrame([row[1:] for row in rows], columns=["tasks", "method"])


def _without(estimate: Estimate, sums: np.ndarray, squares: np.ndarray, out: int,
             at: tuple) -> np.ndarray:
    """Return the squared statistics of pairs, from sums over the families but for so many."""
    n = np.maximum(estimate.shared[at] - out, 2)
    spread = squares - sums**2 / (len(estimate.parts) - out)
    spread = estimate.moderated(spread / (1 - 1 / n), at)
    return np.divide(sums**2, spread, out=np.full(spread.shape, np.inf), where=spread > 1e-24)
