"""Sign flips of families: how far apart the farthest pair comes by chance alone.

Were two methods equal, the difference between them on a family could as well have the other sign.
The signs of a draw turn the differences of all pairs together, and each is studentised again. For
equal methods this is exact; it hardly matters that pairs which differ are flipped with the others,
as their statistics are studentised in the draw.

The signs come from a hash of the seed, the draw and the family, so that the panel in the book,
which runs in the browser, draws the very same ones.
"""

import numpy as np

GOLDEN = np.uint32(0x9E3779B9)
CHUNK = 2**17  # draws × methods that are held at once


def mix(word: np.ndarray) -> np.ndarray:
    """Return a well-mixed hash of 32-bit words (Wellons's lowbias32)."""
    word = np.asarray(word, np.uint32)
    word = (word ^ (word >> np.uint32(16))) * np.uint32(0x7FEB352D)
    word = (word ^ (word >> np.uint32(15))) * np.uint32(0x846CA68B)
    return word ^ (word >> np.uint32(16))


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
    key = mix(mix(np.array([seed], np.uint32)) + np.arange(families, dtype=np.uint32) * GOLDEN)
    word = mix(key + draws.astype(np.uint32)[:, None] * GOLDEN)
    return np.where((word >> np.uint32(31)) | (draws == 0)[:, None], 1.0, -1.0)


def all_signs(families: int) -> np.ndarray:
    """Return all flips of some families but for the mirrored ones, shape (draw, family)."""
    draw = np.arange(2 ** (families - 1))[:, None]
    return np.where(draw >> np.arange(families) & 1, -1.0, 1.0)


def largest_statistics(parts: np.ndarray, shared: np.ndarray, n_resamples: int,
                       seed: int) -> np.ndarray:
    """Return the largest squared statistic over all pairs, for every draw.

    Parameters
    ----------
    parts : ndarray, shape (family, method)
        What each family adds to a method's estimate.
    shared : ndarray, shape (method, method)
        Families behind a pair; pairs with 0 do not count.
    n_resamples, seed : int
        All flips are made where there are no more than `n_resamples`.

    Returns
    -------
    ndarray, shape (draw,)
        t² of the pair that is farthest apart, studentised in the draw itself: with Δ the flipped
        sum of a pair's differences, Q their squares and n the families,
        (n − 1) · h / (1 − h), where h = Δ² / (n Q).
    """
    families, methods = parts.shape
    squares = np.array([np.square(parts - parts[:, [k]]).sum(axis=0) for k in range(methods)])
    squares[squares < 1e-24] = 0  # rounding
    if 2 ** min(families - 1, 62) <= n_resamples:
        return _largest(all_signs(families) @ parts, squares, shared)
    step = max(1, CHUNK // methods)
    found = [_largest(signs(np.arange(at, min(at + step, n_resamples)), families, seed) @ parts,
                      squares, shared) for at in range(0, n_resamples, step)]
    return np.concatenate(found)


def _largest(flipped: np.ndarray, squares: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Return the largest t² of each draw; `flipped` is of shape (draw, method)."""
    columns = np.ascontiguousarray(flipped.T)
    best = np.zeros(len(flipped))
    weight = np.divide(1, squares * shared, out=np.zeros(squares.shape),
                       where=squares * shared > 0)
    for one in range(len(columns) - 1):
        others = slice(one + 1, None)
        part = columns[others] - columns[one]
        part *= part
        part *= weight[one, others, None]  # Δ² / (Q n), at most 1
        np.minimum(part, 1 - 1e-15, out=part)
        part /= 1 - part
        part *= (shared[one, others, None] - 1)
        np.maximum(best, part.max(axis=0), out=best)
    return best
