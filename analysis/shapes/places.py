"""Tables of the pairs and triples of anchors at which a curve is compared to itself."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Places(NamedTuple):
    """What is compared: anchor `above` to the line from anchor `left` to anchor `right`.

    Attributes
    ----------
    above, left, right : ndarray of int
        Positions, in the order of nested loops over the anchors. For pairs, `right` is `left`.
    of_left, of_right : ndarray of float
        Weights of `left` and `right`, adding up to 1.
    """

    above: np.ndarray
    left: np.ndarray
    right: np.ndarray
    of_left: np.ndarray
    of_right: np.ndarray


@lru_cache(maxsize=256)
def all_pairs(n: int) -> Places:
    """Return all pairs i < j of n anchors; j is compared to i."""
    i, j = np.triu_indices(n, 1)
    return Places(j, i, i, np.ones(len(i)), np.zeros(len(i)))


def last_pairs(n: int) -> Places:
    """Return the n − 1 pairs with the last anchor."""
    i = np.arange(n - 1)
    return Places(np.full(n - 1, n - 1), i, i, np.ones(n - 1), np.zeros(n - 1))


def all_triples(anchors: np.ndarray) -> Places:
    """Return all triples h < i < j of anchors, 419,220 of 137; i is compared to h and j."""
    return _all_triples(_key(anchors))


def triples_through(anchors: np.ndarray, i: int) -> Places:
    """Return the triples h < i < j of anchors for one i."""
    return _triples_through(_key(anchors), int(i))


def _key(anchors: np.ndarray) -> bytes:
    return np.ascontiguousarray(anchors, dtype=float).tobytes()


@lru_cache(maxsize=4)  # large; the curves of a dataset share their anchors and follow one another
def _all_triples(anchors: bytes) -> Places:
    n = len(anchors) // 8
    h, i = np.triu_indices(n, 1)
    after = n - 1 - i
    pair = np.repeat(np.arange(len(h)), after)
    h, i = h[pair], i[pair]
    j = i + 1 + np.arange(len(pair)) - np.repeat(np.cumsum(after) - after, after)
    return _interpolating(np.frombuffer(anchors), h, i, j)


@lru_cache(maxsize=256)
def _triples_through(anchors: bytes, i: int) -> Places:
    n = len(anchors) // 8
    h = np.repeat(np.arange(i), n - 1 - i)
    j = np.tile(np.arange(i + 1, n), i)
    return _interpolating(np.frombuffer(anchors), h, np.full(len(h), i), j)


def _interpolating(x: np.ndarray, h: np.ndarray, i: np.ndarray, j: np.ndarray) -> Places:
    """Weigh h and j as in the interpolation of Definition 2."""
    span = x[j] - x[h]
    return Places(i, h, j, (x[j] - x[i]) / span, (x[i] - x[h]) / span)
