"""Families of tasks that nobody has named: tasks whose results lie closer together than chance.

A task is a direction: its values less their median, cut where they are far out, of length one. What
it does not tell (ties, missing results) counts as unlike any other's. From each task on a set
grows, task by task, by whichever lies closest; the set of which it is least likely that so many lie
so close, by Chernoff's bound for a share of the squared distances times the number of such sets,
may be a family (a scan statistic; Kulldorff 1997, Communications in Statistics 26).

Chance is the table itself twice over, the set counted as one task: each task keeps how far it
follows the mean order (where there is one), and what is its own is drawn anew from what tasks have
as their own (methods vary unlike, tasks have factors in common), or has its sign turned (two ends
of a factor are alike, a family has one end). Both have to be beaten. The mean does not hide a
family, as all distances are between tasks; and tasks that merely follow the mean order closely are
none, as those of a family have to be alike in what is their own, too (`SHARE`).
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from analysis.leaderboards.flips import signs

LEAST, MOST, TASKS = 5, 30, 300  # tasks of a family; of a table that is searched
SHARE = 0.7  # mean correlation of what is their own
ORDERED = 1.5  # times as long as by chance, squared, is a mean that tells an order
LEAST_APART = 0.01  # squared distance of two tasks: as close as any
#: Draws, and how many of each kind may be as close; with turned signs more of them may where less
#: than one set so close is foretold.
DRAWS, ANEW, TURNED = 99, 1, (4, 12)
CHUNK = 2**15  # pairs of tasks that are held at once: few settle it


def hidden_families(value: np.ndarray) -> list[np.ndarray]:
    """Return the tasks of each family that results show, the closest first.

    Parameters
    ----------
    value : ndarray, shape (task, method)
        NaN where a result is missing.
    """
    n = len(value)
    if not 2 * LEAST <= n <= TASKS:
        return []
    own, left = directions(value), np.arange(n)
    sets: list[np.ndarray] = []
    while len(left) > LEAST:
        closeness, inside = closest(own[left][None])
        if (sets and closeness[0] <= 0) or not inside.any():
            break
        sets.append(left[inside[0]])
        left = np.delete(left, np.flatnonzero(inside[0])[1:])
    found = []
    for k in range(len(sets)):
        out = [x for some in sets[:k] + sets[k + 1:] for x in some[1:]]
        rest = np.delete(np.arange(n), out)
        closeness, inside = closest(own[rest][None])
        if inside.any() and _is_family(own[rest], inside[0], closeness[0]):
            found.append(rest[inside[0]])
    return found


def directions(value: np.ndarray) -> np.ndarray:
    """Return tasks as directions, shape (task, method): shorter by what they do not tell."""
    known = ~np.isnan(value)
    left = value - np.nanmedian(value, axis=1, keepdims=True)
    size = np.abs(left)
    far = np.maximum(3 * np.nanmedian(size, axis=1), np.nanmean(size, axis=1) / 2)[:, None]
    left = np.clip(left, -far, far)
    left = np.where(known, left - np.nanmean(left, axis=1, keepdims=True), 0)
    same = (value[:, :, None] == value[:, None]).sum(axis=2)
    methods, shared = value.shape[1], known.sum(axis=1)
    told = shared / methods - np.where(known, same**2 - 1, 0).sum(axis=1) / (methods**3 - methods)
    length = np.sqrt((left**2).sum(axis=1))
    return left * (np.sqrt(np.clip(told, 0, 1)) / np.maximum(length, 1e-300))[:, None]


def closest(own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return of some tables how unlikely their closest set is, and which tasks it has.

    Parameters
    ----------
    own : ndarray, shape (table, task, method)
        Tasks as directions.

    Returns
    -------
    ndarray, shape (table,)
        Minus the logarithm of the bound.
    ndarray of bool, shape (table, task)
    """
    tables, n, _ = own.shape
    every, one = np.arange(tables), np.arange(n)
    apart = np.round(np.maximum(2 - 2 * own @ own.transpose(0, 2, 1), LEAST_APART), 9)
    apart[:, one, one] = 0
    whole = apart.sum(axis=(1, 2)) / (2 * n)
    around = own - own.mean(axis=1, keepdims=True)
    spread = around.transpose(0, 2, 1) @ around
    ways = np.trace(spread, axis1=1, axis2=2)**2 / np.maximum((spread**2).sum(axis=(1, 2)), 1e-300)
    to_set, within = apart.copy(), np.zeros((tables, n))
    to_set[:, one, one] = np.inf
    best, inside = np.full(tables, -np.inf), np.zeros((tables, n), bool)
    for k in range(2, min(max(n // 2, LEAST), MOST) + 1):
        nearest = to_set.argmin(axis=2)[:, :, None]
        within += np.take_along_axis(to_set, nearest, 2)[:, :, 0]
        np.put_along_axis(to_set, nearest, np.inf, 2)
        to_set += apart[every[:, None], nearest[:, :, 0]]
        start = within.argmin(axis=1)
        close = _unlikely(within[every, start] / k / whole, k, n, ways)
        better = (close > best) & (k >= LEAST)
        best[better] = close[better]
        inside[better] = np.isinf(to_set[every, start])[better]
    return best, inside


def _unlikely(share: np.ndarray, size: int, tasks: int, ways: np.ndarray) -> np.ndarray:
    """Return minus the logarithm of how often a set of so many has so small a share, at most.

    Of squared distances from the set's mean, were tasks normal in so many ways; times all sets.
    """
    some, others = (size - 1) * ways / 2, (tasks - size) * ways / 2
    usual = (size - 1) / (tasks - 1)
    share = np.clip(share, 1e-9, usual)
    sets = gammaln(tasks + 1) - gammaln(size + 1) - gammaln(tasks - size + 1)
    return (some * np.log(usual / share) + others * np.log((1 - usual) / (1 - share))) - sets


def _is_family(own: np.ndarray, inside: np.ndarray, closeness: float) -> bool:
    """Tell whether a set shares what is its own, and is closer than chance makes any."""
    weight = np.where(inside, 1 / inside.sum(), 1.0)
    mean = weight @ own
    length = np.linalg.norm(mean)
    mean *= (length**2 > ORDERED * weight.sum()) / np.maximum(length, 1e-300)
    along = np.outer(own @ mean, mean)
    left = own - along
    length = np.linalg.norm(left, axis=1)
    together = np.square(left[inside].sum(axis=0)).sum()
    alone = np.square(length[inside]).sum()
    if together - alone < SHARE * (inside.sum() - 1) * alone:
        return False
    pool = left - weight @ left / weight.sum()
    pool[inside] = pool[inside].mean(axis=0)
    pool *= np.sqrt(weight)[:, None]

    def anew(draws: np.ndarray) -> np.ndarray:
        word = signs((draws[:, None] * len(own) + np.arange(len(own))).ravel(), len(own), 0)
        drawn = (word @ pool).reshape(len(draws), *own.shape)
        drawn -= (drawn @ mean)[:, :, None] * mean
        times = length / np.maximum(np.linalg.norm(drawn, axis=2), 1e-300)
        return along + drawn * times[:, :, None]

    def turned(draws: np.ndarray) -> np.ndarray:
        return along + signs(draws, len(own), 1)[:, :, None] * left

    return _beats(anew, ANEW, closeness, len(own)) and _beats(
        turned, TURNED[int(closeness > 0)], closeness, len(own))


def _beats(draw: Callable[[np.ndarray], np.ndarray], most: int, closeness: float,
           tasks: int) -> bool:
    """Tell whether no more than so many draws have a set as close."""
    at_once, as_close = max(CHUNK // tasks**2, 1), 0
    for first in range(1, DRAWS + 1, at_once):
        drawn = draw(np.arange(first, min(first + at_once, DRAWS + 1)))
        as_close += int((closest(drawn)[0] >= closeness - 1e-9).sum())
        if as_close > most:
            return False
    return True
