"""An array given by its few filled positions, made dense only when, and where, it is read."""

import math
from collections.abc import Callable

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing


def scattered(shape: tuple[int, ...], position: Callable[[], np.ndarray],
              read: Callable[[int], np.ndarray], fill: np.generic,
              n_last: int | None = None) -> indexing.LazilyIndexedArray:
    """Return a dense view of values scattered over an array, which is made when it is read.

    LCDB 1.0 fills 7 % of its container: each dataset has its own last anchor. Held dense, one
    metric is 600 MB.

    Parameters
    ----------
    shape : tuple of int
        Shape of the dense array, without the last axis where `n_last` gives it one.
    position : callable returning ndarray of int, shape (n_filled,)
        Flat position of each filled element in that shape.
    read : callable of int returning ndarray, shape (n_filled,)
        Values at one position of the last axis (called with 0 if there is none).
    fill : float or int
        Value elsewhere; its type is the dense array's.
    n_last : int, optional
        Length of the last axis, which is read position by position.
    """
    return indexing.LazilyIndexedArray(_ScatteredArray(shape, position, read, fill, n_last))


class _ScatteredArray(BackendArray):
    def __init__(self, shape, position, read, fill, n_last):
        self.shape = shape if n_last is None else (*shape, n_last)
        self.dtype = np.asarray(fill).dtype
        self._filled, self._position, self._read, self._fill = shape, position, read, fill

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        once = all(np.unique(own).size == own.size for own in map(np.asarray, key.tuple)
                   if own.dtype.kind == "i")
        support = indexing.IndexingSupport.OUTER if once else indexing.IndexingSupport.BASIC
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._dense)

    def _dense(self, key: tuple) -> np.ndarray:
        """Return what is asked for, no position twice; nothing more is held."""
        asked = [np.arange(n)[own] for n, own in zip(self.shape, key, strict=True)]
        *within, planes = asked if len(asked) > len(self._filled) else (*asked, np.array(0))
        dense = np.full((planes.size, *(own.size for own in within)), self._fill)
        filled, at = self._places(within)
        for plane, k in zip(dense, planes.flat, strict=True):
            values = self._read(int(k))
            plane.reshape(-1)[at] = values[filled] if np.ndim(values) else values
        gone = [axis for axis, own in enumerate([*within, planes]) if own.ndim == 0]
        return np.moveaxis(dense, 0, -1).squeeze(tuple(gone))  # a view: no second copy

    def _places(self, asked: list[np.ndarray]) -> tuple[np.ndarray | slice, np.ndarray]:
        """Return which filled positions are asked for, and their flat places among these."""
        left, stride = self._position(), math.prod(self._filled)
        whole = zip(self._filled, asked, strict=True)
        if all(np.array_equal(own, np.arange(n)) for n, own in whole):
            return slice(None), left  # where they are
        filled, at = np.arange(len(left)), np.zeros(len(left), int)
        for n, own in zip(self._filled, asked, strict=True):
            stride //= n
            index, left = np.divmod(left, stride)
            place = np.full(n, -1)
            place[own] = np.arange(own.size).reshape(own.shape)
            there = place[index] >= 0
            at = at * own.size + place[index]
            if not there.all():
                filled, at, left = filled[there], at[there], left[there]
        return filled, at
