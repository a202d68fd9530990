"""How many families of tasks it takes to tell two methods apart."""

from functools import partial

import numpy as np
from scipy.stats import norm

from analysis.leaderboards.estimates import POWER, Estimate
from analysis.leaderboards.flips import from_one_scale, on_one_scale

INNER = 0.8  # of the interval of the tasks needed
HALVINGS = 40  # of the search, from `MOST` families on
MOST = 1e12


def tasks_needed(estimate: Estimate, one: np.ndarray, other: np.ndarray, critical: float,
                 least: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    least : int
        Families that it takes for any significant difference.

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
    weight, lent = (x[one, other] for x in estimate.lent)
    pool = np.divide(lent, weight, out=np.zeros(len(n)), where=weight > 0)
    need = partial(_families, squares=error**2 * n, pool=pool * n, scaled=scaled,
                   borrowed=estimate.borrowed, least=least)
    inner = np.sqrt(from_one_scale(norm.ppf((1 + INNER) / 2)**2, freedom)) * error
    effect = estimate.effect[one, other]
    return need(effect), need(effect + inner), need(effect - inner)


def _families(effect: np.ndarray, squares: np.ndarray, pool: np.ndarray, scaled: np.ndarray,
              borrowed: int, least: int) -> np.ndarray:
    """Return the families for effects, by halving; variances are those of one family."""
    low, high = np.full(len(effect), np.log(least)), np.full(len(effect), np.log(MOST))
    power, todo = norm.ppf(POWER) * np.sqrt(squares), np.flatnonzero(effect > 0)

    def whole(log: np.ndarray) -> np.ndarray:
        return np.maximum(np.ceil(np.exp(log) * (1 - 1e-9)), least)

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
