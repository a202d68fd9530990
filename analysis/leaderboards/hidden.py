"""Families of tasks that nobody has named: tasks whose results lie closer together than chance.

A task is a direction: its values less their median, cut where they are far out, of length one; and
beside it the place of that length among all tasks', as tasks of a family spread methods alike. What
it does not tell (ties, missing results) counts as unlike any other's. From each task on a set
grows, task by task, by whichever lies closest; the set of which it is least likely that so many lie
so close, by Chernoff's bound for a share of the squared distances times the number of such sets,
may be a family (a scan statistic; Kulldorff 1997, Communications in Statistics 26).

Chance is the table itself twice over, the set and what is near it (`CLOSE`) counted as one task:
each task keeps its length and how far it follows the mean order (where there is one), and what is
its own is drawn anew from what tasks have as their own (methods vary unlike, tasks have factors in
common), or has its sign turned (two ends of a factor are alike, a family has one end). Both have to
be beaten, at that size of a set at which its share is the most standard deviations below theirs.
The mean does not hide a family, as all distances are between tasks; and tasks that merely follow
the mean order closely are none, as those of a family have to be alike in what is their own, too
(`SHARE`). Nor are they where too much lies as near the opposite of the set's middle: a factor's
other end (`ENDS`); less is too much where the set's tasks are long, as they are at such an end.

A family takes in what is near its middle (`NEAR`): a task that is left out counts once more, which
makes intervals too narrow, and one too many costs little. The limits below were chosen on made
tables (normal, skewed, with ties, factors or an order) and judged on others; `SHARE` was raised
once hints on the stored studies had been seen, some of which look like a factor's end.
"""

import numpy as np
from scipy.special import gammaln

from analysis.leaderboards.flips import signs

LEAST, MOST, TASKS = 5, 30, 300  # tasks of a family; of a table that is searched
SHARE = 0.75  # mean correlation of what is their own
ORDERED = 1.5  # times as long as by chance, squared, is a mean that tells an order
LEAST_APART = 0.01  # squared distance of two tasks: as close as any
FAR = 3.5  # from the median, in median deviations, is as far as a value counts
LENGTH = 1.2  # of a task's place among lengths, beside a method's share of its direction
DRAWS, ANEW, TURNED = 99, 8, 16  # draws, and how many of each kind may be as close
AT_ONCE = 11  # draws, after which too many end it
CHUNK = 2**15  # pairs of tasks that are held at once
#: Squared distance from a set's middle that is near: in mean ones of its tasks; at most, in their
#: squared length, where a family takes tasks in and where the set counts as one.
NEAR, WITHIN, CLOSE = 6.0, 0.7, 0.5
#: Of how much tasks are like the opposite of a set's middle, in how much like it: at most; and the
#: power of cosines that is summed.
ENDS, LIKE = 0.35, 6


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
        closeness, inside, _ = closest(own[left][None])
        if (sets and closeness[0] <= 0) or not inside.any():
            break
        sets.append(left[inside[0]])
        left = np.delete(left, np.flatnonzero(inside[0])[1:])
    found, free = [], np.ones(n, bool)
    free[[x for some in sets for x in some]] = False
    for k in range(len(sets)):
        out = [x for some in sets[:k] + sets[k + 1:] for x in some[1:]]
        rest = np.delete(np.arange(n), out)
        family = _family(own, rest, free)
        if len(family):
            found.append(family)
            free[family] = False
    return found


def directions(value: np.ndarray) -> np.ndarray:
    """Return tasks as directions, shorter by what they do not tell, and the place of their length.

    Shape (task, method + 1).
    """
    known = ~np.isnan(value)
    left = value - np.nanmedian(value, axis=1, keepdims=True)
    size = np.abs(left)
    far = np.maximum(FAR * np.nanmedian(size, axis=1), np.nanmean(size, axis=1) / 2)[:, None]
    left = np.clip(left, -far, far)
    left = np.where(known, left - np.nanmean(left, axis=1, keepdims=True), 0)
    same = (value[:, :, None] == value[:, None]).sum(axis=2)
    methods, shared = value.shape[1], known.sum(axis=1)
    told = shared / methods - np.where(known, same**2 - 1, 0).sum(axis=1) / (methods**3 - methods)
    length = np.sqrt((left**2).sum(axis=1))
    left *= (np.sqrt(np.clip(told, 0, 1)) / np.maximum(length, 1e-300))[:, None]
    length /= np.sqrt(np.maximum(shared, 1))
    longer = length[:, None] > length * (1 + 1e-9)
    place = (longer.sum(axis=1) - longer.sum(axis=0)) / len(value)
    return np.c_[left, LENGTH / np.sqrt(methods - 1) * place]


def closest(own: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of some tables how unlikely their closest set is, and which tasks it has.

    Parameters
    ----------
    own : ndarray, shape (table, task, method + 1)
        Tasks as directions, and the place of their length.

    Returns
    -------
    ndarray, shape (table,)
        Minus the logarithm of the bound.
    ndarray of bool, shape (table, task)
    ndarray, shape (table, size)
        The logarithm of the least share of squared distances, of each size from `LEAST`.
    """
    tables, n, _ = own.shape
    every, one = np.arange(tables), np.arange(n)
    way, place = own[:, :, :-1], own[:, :, -1:]
    apart = 2 - 2 * way @ way.transpose(0, 2, 1) + np.square(place - place.transpose(0, 2, 1))
    apart = np.round(np.maximum(apart, LEAST_APART), 9)
    apart[:, one, one] = 0
    whole = apart.sum(axis=(1, 2)) / (2 * n)
    around = own - own.mean(axis=1, keepdims=True)
    spread = around.transpose(0, 2, 1) @ around
    ways = np.trace(spread, axis1=1, axis2=2)**2 / np.maximum((spread**2).sum(axis=(1, 2)), 1e-300)
    to_set, within = apart.copy(), np.zeros((tables, n))
    to_set[:, one, one] = np.inf
    best, inside, shares = np.full(tables, -np.inf), np.zeros((tables, n), bool), []
    for k in range(2, min(max(n // 2, LEAST), MOST) + 1):
        nearest = to_set.argmin(axis=2)[:, :, None]
        within += np.take_along_axis(to_set, nearest, 2)[:, :, 0]
        np.put_along_axis(to_set, nearest, np.inf, 2)
        to_set += apart[every[:, None], nearest[:, :, 0]]
        start = within.argmin(axis=1)
        share = within[every, start] / k / whole
        shares += [np.log(share)] * (k >= LEAST)
        close = _unlikely(share, k, n, ways)
        better = (close > best) & (k >= LEAST)
        best[better] = close[better]
        inside[better] = np.isinf(to_set[every, start])[better]
    return best, inside, np.array(shares).T


def _unlikely(share: np.ndarray, size: int, tasks: int, ways: np.ndarray) -> np.ndarray:
    """Return minus the logarithm of how often a set of so many has so small a share, at most.

    Of squared distances from the set's mean, were tasks normal in so many ways; times all sets.
    """
    some, others = (size - 1) * ways / 2, (tasks - size) * ways / 2
    usual = (size - 1) / (tasks - 1)
    share = np.clip(share, 1e-9, usual)
    sets = gammaln(tasks + 1) - gammaln(size + 1) - gammaln(tasks - size + 1)
    return (some * np.log(usual / share) + others * np.log((1 - usual) / (1 - share))) - sets


def _family(every: np.ndarray, rest: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return a family's tasks: of the closest set of the rest, and near ones that are free.

    None where the set does not share what is its own, or chance makes others as close.
    """
    own, none = every[rest], rest[:0]
    _, inside, shares = (x[0] for x in closest(own[None]))
    if not inside.any():
        return none
    near = _near(own[:, :-1], inside, CLOSE)
    weight = np.where(near, 1 / near.sum(), 1.0)
    mean = weight @ own
    mean[-1] = 0
    length = np.linalg.norm(mean)
    mean *= (length**2 > ORDERED * weight.sum()) / np.maximum(length, 1e-300)
    along = np.outer(own @ mean, mean)
    along[:, -1] = own[:, -1]
    left = own - along
    length = np.linalg.norm(left, axis=1)
    together = np.square(left[inside].sum(axis=0)).sum()
    alone = np.square(length[inside]).sum()
    if together - alone < SHARE * (inside.sum() - 1) * alone:
        return none
    every = (every - np.outer(every @ mean, mean))[:, :-1]
    found = np.isin(np.arange(len(every)), rest[inside])
    toward = every @ every[found].mean(axis=0) / np.maximum(np.linalg.norm(every, axis=1), 1e-9)
    one, other = (np.maximum(end, 0)**LIKE for end in (toward, -toward))
    if (1 + own[inside, -1].mean()) * other.sum() > ENDS * one.sum():
        return none
    pool = left - weight @ left / weight.sum()
    pool[near] = pool[near].mean(axis=0)
    pool *= np.sqrt(weight)[:, None]

    def anew(draws: np.ndarray) -> np.ndarray:
        word = signs((draws[:, None] * len(own) + np.arange(len(own))).ravel(), len(own), 0)
        drawn = (word @ pool).reshape(len(draws), *own.shape)
        drawn -= (drawn @ mean)[:, :, None] * mean
        times = length / np.maximum(np.linalg.norm(drawn, axis=2), 1e-300)
        return along + drawn * times[:, :, None]

    def turned(draws: np.ndarray) -> np.ndarray:
        return along + signs(draws, len(own), 1)[:, :, None] * left

    parts = min(1 + AT_ONCE * len(own)**2 // CHUNK, AT_ONCE)
    for draw, most in (anew, ANEW), (turned, TURNED):
        seen = shares[None]
        for first in range(1, DRAWS + 1, AT_ONCE):
            draws = np.array_split(np.arange(first, first + AT_ONCE), parts)
            seen = np.concatenate([seen] + [closest(draw(some))[2] for some in draws])
            spread = np.maximum(seen.std(axis=0), 1e-9)
            beyond = ((seen.mean(axis=0) - seen) / spread).max(axis=1)
            if (beyond[1:] >= beyond[0] - 1e-9).sum() > most:
                return none
    return np.flatnonzero(found | free & _near(every, found, WITHIN))


def _near(way: np.ndarray, inside: np.ndarray, within: float) -> np.ndarray:
    """Return which tasks are in a set or near its middle."""
    apart = np.square(way - way[inside].mean(axis=0)).sum(axis=1)
    limit = min(NEAR * apart[inside].sum() / (inside.sum() - 1),
                within * np.square(way[inside]).sum() / inside.sum())
    return inside | (apart <= limit)
