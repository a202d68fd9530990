"""How far apart the farthest pair comes by chance alone: sign flips, and resampled families.

Sign flips: were two methods equal and their differences symmetric, the difference on a family could
as well have the other sign. The signs of a draw turn the differences of all pairs together, and
each is studentised again. For symmetric differences this is exact.

Real differences are skewed (a method that fails on few tasks, and is a little ahead elsewhere), and
then flips alone hold too rarely. So families are drawn anew with replacement, differences centred
and studentised in each draw (bootstrap-t; Hall 1988, Annals of Statistics 16): the larger critical
value of the two counts. Where a draw has hardly any spread by the luck of few families, a twentieth
of the table's own stands in for it: otherwise small tables would separate nobody. Which way and
how much was chosen on made tables (`lab.order_coverage`). What the mean spread of all pairs lends
to each is found anew in each draw, too.

Draws come from a hash of the seed, the draw and the family, so that the panel in the book, which
runs in the browser, makes the very same ones.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

GOLDEN = np.uint32(0x9E3779B9)
RESAMPLING = np.uint32(0xB5297A4D)  # turns the seed of flips into that of resamples
CHUNK = 2**17  # draws × methods that are held at once
OWN_SPREAD = 0.05  # share of the table's own variance in that of a resample
Largest = tuple[np.ndarray, np.ndarray]  # the largest statistic of each draw, and of which pair
BLOCKS = 256  # more families are resampled in so many blocks
PAIRS, RESAMPLES_OF_MANY = 2000, 500  # with more pairs, no more resamples are drawn


class Lent(NamedTuple):
    """What the mean spread of all pairs lends to each pair's, shapes (method, method).

    Attributes
    ----------
    weight : ndarray
        That the spread of all pairs has beside each pair's own.
    error : ndarray
        The weight times that spread, as a squared standard error.
    pooling : ndarray
        By which weights squared standard errors sum to that spread, over the table's own.
    families : ndarray
        Behind each pair, of all pairs.
    """

    weight: np.ndarray
    error: np.ndarray
    pooling: np.ndarray
    families: np.ndarray


def mix(word: np.ndarray) -> np.ndarray:
    """Return a well-mixed hash of 32-bit words (Wellons's lowbias32)."""
    word = np.asarray(word, np.uint32)
    word = (word ^ (word >> np.uint32(16))) * np.uint32(0x7FEB352D)
    word = (word ^ (word >> np.uint32(15))) * np.uint32(0x846CA68B)
    return word ^ (word >> np.uint32(16))


def _words(draws: np.ndarray, families: int, seed: np.uint32) -> np.ndarray:
    """Return a hash for each draw and family."""
    key = mix(mix(np.array([seed])) + np.arange(families, dtype=np.uint32) * GOLDEN)
    return mix(key + draws.astype(np.uint32)[:, None] * GOLDEN)


def signs(draws: np.ndarray, families: int, seed: int) -> np.ndarray:
    """Return the signs of some draws.

    Parameters
    ----------
    draws : ndarray of int
        Numbers of the draws.
    families, seed : int

    Returns
    -------
    ndarray of float, shape (draw, family)
        −1 or 1. Draw 0 is what was seen: nothing is turned.
    """
    word = _words(draws, families, np.uint32(seed))
    return np.where((word >> np.uint32(31)) | (draws == 0)[:, None], 1.0, -1.0)


def all_signs(families: int) -> np.ndarray:
    """Return all flips of some families but for the mirrored ones, shape (draw, family)."""
    draw = np.arange(2 ** (families - 1))[:, None]
    return np.where(draw >> np.arange(families) & 1, -1.0, 1.0)


def largest_statistics(parts: np.ndarray, shared: np.ndarray, n_resamples: int, seed: int,
                       freedom: np.ndarray, lent: Lent, before: Largest | None = None) -> Largest:
    """Return the largest squared statistic over all pairs, for every draw.

    Parameters
    ----------
    parts : ndarray, shape (family, method)
        What each family adds to a method's estimate.
    shared : ndarray, shape (method, method)
        Families behind a pair; pairs with 0 do not count.
    n_resamples, seed : int
        All flips are made where there are no more than `n_resamples`.
    freedom : ndarray, shape (method, method)
        Of each pair, infinite where they do not differ; see `on_one_scale`.
    lent : Lent
    before : tuple of two ndarray, optional
        What was returned when more pairs counted: a draw whose pair still counts stays as it is.

    Returns
    -------
    ndarray, shape (draw,)
        t² of the pair that is farthest apart, studentised in the draw itself: with Δ the flipped
        sum of a pair's differences, Q their squares, n the families, w what is lent's weight and L
        the spread of all pairs in the draw, Δ² / ((1 − w) n / (n − 1) (Q − Δ² / n) + w L).
    ndarray of int, shape (draw,)
        Which pair that is, in a flat array of shape (method, method).
    """
    families, methods = parts.shape
    squares = squared_gaps(parts)
    every = all_signs(families) if 2 ** min(families - 1, 62) <= n_resamples else None
    (best, pair), todo = _begun(before, shared, n_resamples if every is None else len(every))
    less = lent.pooling / np.maximum(lent.families - 1, 1)
    whole = (np.triu(less * lent.families, 1) * squares).sum()
    own = (1 - lent.weight) * shared / np.maximum(shared - 1, 1)  # of Q; less of Δ²: 1 / n of it
    counts = (own * squares + lent.error > 0) & (shared > 1)
    step = max(1, CHUNK // methods)
    for some in (todo[at:at + step] for at in range(0, len(todo), step)):
        turned = ((signs(some, families, seed) if every is None else every[some]) @ parts).T.copy()
        spread = np.maximum(whole - _sum_of_gaps(turned.T, less), 0)

        def statistics(one: int, turned=turned, spread=spread) -> tuple[np.ndarray, np.ndarray]:
            others = one + 1 + np.flatnonzero(counts[one, one + 1:])
            share, plus, q, n, free = (x[one, others, None] for x in (
                own, lent.error, squares, shared, freedom))
            part = np.square(turned[others] - turned[one])
            part /= np.maximum(share * q + plus * spread, 1e-300)
            part /= np.maximum(1 - part * (share / n), 1e-15)
            return on_one_scale(part, free), one * methods + others

        best[some], pair[some] = _largest(statistics, methods, len(some))
    return best, pair


def _begun(before: Largest | None, shared: np.ndarray, draws: int) -> tuple[Largest, np.ndarray]:
    """Return what stays of before, and which draws are to be looked at (again)."""
    if before is None:
        return (np.zeros(draws), np.zeros(draws, int)), np.arange(draws)
    return (before[0].copy(), before[1].copy()), np.flatnonzero(shared.flat[before[1]] == 0)


def squared_gaps(parts: np.ndarray) -> np.ndarray:
    """Return the squares of each pair's differences, summed over families: exactly 0 for equals."""
    rows = np.ascontiguousarray(parts.T)
    squares = np.zeros((len(rows), len(rows)))
    for one in range(len(rows) - 1):
        apart = rows[one + 1:] - rows[one]
        squares[one, one + 1:] = squares[one + 1:, one] = np.einsum("ij,ij->i", apart, apart)
    squares[squares < 1e-24] = 0  # rounding
    return squares


def _sum_of_gaps(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return weighted squares of all pairs' differences, summed in each row."""
    return np.square(rows) @ weight.sum(axis=1) - (rows @ weight * rows).sum(axis=1)


def on_one_scale(squared: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Return squared t statistics as those of a normal variable that are as rare (Wallace 1959).

    So pairs that share few tasks, whose statistics are large by chance more often, do not set what
    is asked of pairs that share many.

    Parameters
    ----------
    squared : ndarray
    freedom : ndarray
        Degrees of freedom; infinite leaves a statistic as it is.
    """
    known = np.isfinite(freedom)
    if not known.any():
        return squared
    freedom = np.where(known, freedom, 1.0)
    with np.errstate(invalid="ignore"):
        scaled = ((8 * freedom + 1) / (8 * freedom + 3))**2 * freedom * np.log1p(squared / freedom)
    return np.where(known, scaled, squared)


def from_one_scale(scaled: np.ndarray | float, freedom: np.ndarray) -> np.ndarray:
    """Return the squared t statistics behind what `on_one_scale` returns."""
    known = np.isfinite(freedom)
    if not known.any():
        return np.full(known.shape, scaled)
    freedom = np.where(known, freedom, 1.0)
    root = scaled / freedom * ((8 * freedom + 3) / (8 * freedom + 1))**2
    return np.where(known, freedom * np.expm1(np.minimum(root, 700)), scaled)


def _largest(statistics: Callable[[int], tuple[np.ndarray, np.ndarray]], methods: int,
             draws: int) -> Largest:
    """Return the largest statistic of each draw, and of which pair.

    `statistics` gives those of a method's pairs with later ones, shape (pair, draw), and the pairs.
    """
    best, pair = np.zeros(draws), np.zeros(draws, int)
    for one in range(methods - 1):
        values, of = statistics(one)
        if len(of):
            most = values.max(axis=0)
            more = np.flatnonzero(most > best)
            best[more], pair[more] = most[more], of[values[:, more].argmax(axis=0)]
    return best, pair


def resampled_statistics(residual: np.ndarray, shared: np.ndarray, n_resamples: int, seed: int,
                         freedom: np.ndarray, lent: Lent, before: Largest | None = None) -> Largest:
    """Return the largest squared statistic over all pairs, for every resample of families.

    Parameters
    ----------
    residual : ndarray, shape (family, method)
        What each family adds to a method's estimate, less its mean.
    shared : ndarray, shape (method, method)
        Families behind a pair; pairs with 0 do not count.
    n_resamples, seed : int
        Of more than `PAIRS` pairs, `RESAMPLES_OF_MANY` at most are drawn.
    freedom, lent, before
        As in `largest_statistics`.

    Returns
    -------
    ndarray, shape (draw,)
        t² of the pair that is farthest from where it truly is.
    ndarray of int, shape (draw,)
        Which pair that is.
    """
    methods = residual.shape[1]
    if methods * (methods - 1) / 2 > PAIRS:
        n_resamples = min(n_resamples, RESAMPLES_OF_MANY)
    blocks = min(len(residual), BLOCKS)
    parts = np.zeros((blocks, residual.shape[1]))
    np.add.at(parts, np.arange(len(residual)) % blocks, residual)
    whole, todo = _begun(before, shared, n_resamples)
    times = resamples(todo, blocks, seed).T.copy()
    rows, sums = parts.T.copy(), parts.T @ times
    anew = np.maximum(_sum_of_gaps(parts, lent.pooling) @ times
                      - _sum_of_gaps(sums.T, lent.pooling) / blocks, 0)

    def statistics(one: int) -> tuple[np.ndarray, np.ndarray]:
        others = one + 1 + np.flatnonzero(shared[one, one + 1:] > 1)
        apart = np.square(rows[others] - rows[one])
        own = apart.sum(axis=1)
        others, apart, own = (x[own > 1e-24] for x in (others, apart, own))
        weight, plus, n, free = (x[one, others, None]
                                 for x in (lent.weight, lent.error, shared, freedom))
        far = np.square(sums[others] - sums[one])
        spread = np.maximum(apart @ times - far / blocks, 0)
        spread *= 1 - OWN_SPREAD
        spread += OWN_SPREAD * own[:, None]
        spread *= 1 - weight
        spread += plus * anew
        far *= 1 - 1 / n
        far /= spread
        return on_one_scale(far, free), one * methods + others

    whole[0][todo], whole[1][todo] = _largest(statistics, methods, len(todo))
    return whole


def resamples(draws: np.ndarray, families: int, seed: int) -> np.ndarray:
    """Return how often each family is in some resamples, float of shape (draw, family)."""
    word = _words(draws, families, np.uint32(seed) ^ RESAMPLING).astype(np.uint64)
    place = (word * np.uint64(families) >> np.uint64(32)).astype(int)
    place += np.arange(len(draws))[:, None] * families
    return np.bincount(place.ravel(), minlength=len(draws) * families).reshape(
        len(draws), families).astype(float)
