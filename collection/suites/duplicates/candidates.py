"""Which pairs of tables are worth a look: those that share rows in one form or another."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from collection.suites.duplicates.forms import FORMS
from collection.suites.duplicates.table import Table

LEAST_ROWS = 3  # distinct rows shared
ENOUGH_ALONE = 20  # rows that no other row looks like, to leave out those that others do
LEAST_SHARE = 0.02  # of the distinct rows of the table that has fewer


def candidates(tables: Sequence[Table]) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield pairs that share rows in some form, once for each form that says so.

    Yields
    ------
    first, second : int
        Positions in `tables`, first < second.
    rows : ndarray of int, shape (n, 2)
        A row of the first and the row of the second that looks the same in this form; of parts
        of rows, only such as look like no other of their table, where there are enough.
    """
    for form in FORMS:
        yield from _by_form(tables, form)


def _by_form(tables: Sequence[Table], form: Callable) -> Iterator[tuple[int, int, np.ndarray]]:
    hashes = [form(table) for table in tables]
    distinct = [_distinct(h) for h in hashes]
    for i, j in _sharing([keys for keys, _, _ in distinct]):
        _, at_i, at_j = np.intersect1d(distinct[i][0], distinct[j][0], assume_unique=True,
                                       return_indices=True)
        rows = np.column_stack([distinct[i][1][at_i], distinct[j][1][at_j]])
        alone = distinct[i][2][at_i] & distinct[j][2][at_j]
        in_parts = np.ndim(hashes[i]) == 2  # which look alike by chance more often
        yield i, j, rows[alone] if in_parts and alone.sum() >= ENOUGH_ALONE else rows


def _distinct(hashes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct hashes, a row that has each, and whether no other has it."""
    if hashes is None:
        return np.zeros(0, np.uint64), np.zeros(0, int), np.zeros(0, bool)
    keys, at, times = np.unique(hashes, return_index=True, return_counts=True)
    return keys, at // (hashes.size // len(hashes)), times == 1


def _sharing(keys: list[np.ndarray]) -> list[tuple[int, int]]:
    """Return the pairs of sets that have enough in common."""
    sizes = np.array([len(k) for k in keys], int)
    owner = np.repeat(np.arange(len(keys)), sizes)
    if not sizes.sum():
        return []
    everything = np.concatenate(keys)
    names, key = np.unique(everything, return_inverse=True)
    member = csr_array((np.ones(len(key), np.int64), (owner, key)), shape=(len(keys), len(names)))
    common = (member @ member.T).tocoo()
    smaller = np.minimum(sizes[common.row], sizes[common.col])
    enough = (common.row < common.col) & (
        common.data >= np.maximum(LEAST_ROWS, LEAST_SHARE * smaller))
    return list(zip(common.row[enough].tolist(), common.col[enough].tolist(), strict=True))
