"""An array given by its few filled positions, made dense only when, and where, it is read."""

from collections.abc import Callable

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing


class ScatteredArray(BackendArray):
    """Dense view of values scattered over an array; what is not filled is `fill`.

    LCDB 1.0 fills 7 % of its container: each dataset has its own last anchor. Held dense, one
    metric is 600 MB.

    Parameters
    ----------
    shape : tuple of int
        Shape of the dense array. Where `n_last` is not None, its last axis has that length.
    position : callable returning ndarray of int, shape (n_filled,)
        Flat position of each filled element along all axes but the last (all axes if `n_last` is
        None).
    read : callable of int returning ndarray, shape (n_filled,)
        Values at one position of the last axis (called with 0 if there is none).
    n_last : int, optional
        Length of the last axis, which is read position by position.
    fill : float or int
        Value elsewhere; its type is the dense array's.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        position: Callable[[], np.ndarray],
        read: Callable[[int], np.ndarray],
        n_last: int | None,
        fill: np.generic,
    ):
        self.shape, self.dtype = shape, np.asarray(fill).dtype
        self._position, self._read, self._n_last, self._fill = position, read, n_last, fill

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._dense
        )

    def _dense(self, key: tuple) -> np.ndarray:
        if self._n_last is None:
            return self._plane(0, self.shape)[key]
        *rest, last = key
        if isinstance(last, slice):
            planes = [self._plane(k, self.shape[:-1])[tuple(rest)]
                      for k in range(self._n_last)[last]]
            return np.moveaxis(np.stack(planes), 0, -1)  # a view: no second copy
        return self._plane(int(last), self.shape[:-1])[tuple(rest)]

    def _plane(self, k: int, shape: tuple[int, ...]) -> np.ndarray:
        plane = np.full(shape, self._fill)
        plane.reshape(-1)[self._position()] = self._read(k)
        return plane


def lazily(array: ScatteredArray) -> indexing.LazilyIndexedArray:
    """Wrap `array` so that xarray reads it only when it is used."""
    return indexing.LazilyIndexedArray(array)
