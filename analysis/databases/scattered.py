"""An array given by its few filled positions, made dense only when, and where, it is read."""

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
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._dense
        )

    def _dense(self, key: tuple) -> np.ndarray:
        if len(self.shape) == len(self._filled):
            return self._plane(0)[key]
        *rest, last = key
        if isinstance(last, slice):
            planes = [self._plane(k)[tuple(rest)] for k in range(self.shape[-1])[last]]
            return np.moveaxis(np.stack(planes), 0, -1)  # a view: no second copy
        return self._plane(int(last))[tuple(rest)]

    def _plane(self, k: int) -> np.ndarray:
        plane = np.full(self._filled, self._fill)
        plane.reshape(-1)[self._position()] = self._read(k)
        return plane
