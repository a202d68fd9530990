"""Forms of rows that stay the same when a table is reordered, recoded, rounded or cut down.

Each form turns a table into one hash per row, or several for its parts. Tables that share hashes
may share rows: the index proposes them, and `collection.suites.duplicates.confirm` looks at the
cells themselves.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from collection.suites.duplicates.hashing import hash_numbers, hash_rows, mix
from collection.suites.duplicates.table import Table

FEW_VALUES = 12  # distinct values up to which a column may be a coded category
RICHEST = 6  # columns that are looked at by pairs
ROUNDS = 3  # of refinement: values by their rows, rows by their values


def by_values(table: Table) -> np.ndarray:
    """Rows as sets of values: blind to the order of columns; holds for any share of rows."""
    return table.rows


def by_coarse_numbers(table: Table) -> np.ndarray | None:
    """Rows as sets of numbers to two digits of their column's size: blind to most rounding.

    Columns of few values, which may have been recoded, are left out; None with fewer than two.
    """
    columns = (table.n_values > FEW_VALUES) & ~np.isnan(table.numbers).all(axis=0)
    if columns.sum() < 2:
        return None
    numbers = table.numbers[:, columns]
    largest = np.nanmax(np.abs(numbers), axis=0)
    unit = 10.0 ** (np.floor(np.log10(largest)) - 1)
    return hash_rows(hash_numbers(np.rint(numbers / unit) * unit))


def by_pairs(table: Table) -> np.ndarray | None:
    """Parts of rows: the values of every two of the `RICHEST` columns with the most values.

    Found again where other columns are left out or changed; None with fewer than two such columns.
    """
    rich = np.argsort(-table.n_values, kind="stable")[:RICHEST]
    pairs = list(combinations(rich[table.n_values[rich] > FEW_VALUES], 2))
    if not pairs:
        return None
    return np.column_stack([hash_rows(table.cells[:, pair]) for pair in pairs])


def by_low_ranks(table: Table) -> np.ndarray | None:
    """Rows of coded categories by the rank of each value, from the lowest; columns in order."""
    return _by_ranks(table, table.codes)


def by_high_ranks(table: Table) -> np.ndarray | None:
    """Rows of coded categories by the rank of each value, from the highest.

    So the values keep their ranks where one table has a further, lowest code for missing.
    """
    return _by_ranks(table, table.n_values - 1 - table.codes)


def by_refinement(table: Table) -> np.ndarray:
    """Rows by how often their values occur, with which others, and so on (colour refinement).

    Blind to the order of rows and columns and to any recoding, but only of the whole table.
    """
    n_rows, n_columns = table.codes.shape
    values = table.codes + np.concatenate([[0], np.cumsum(table.n_values)[:-1]])
    order = np.argsort(values, axis=None, kind="stable")
    row_of, value_of = order // n_columns, values.ravel()[order]
    starts = np.flatnonzero(np.diff(value_of, prepend=-1))
    column_starts = np.concatenate([[0], np.cumsum(table.n_values)[:-1]])
    colour = np.full(n_rows, np.uint64(n_rows))
    for _ in range(ROUNDS):
        of_value = mix(np.add.reduceat(mix(colour)[row_of], starts))
        of_column = mix(np.add.reduceat(mix(of_value), column_starts))
        of_value = mix(of_value ^ np.repeat(of_column, table.n_values))
        colour = of_value[values].sum(axis=1, dtype=np.uint64)
    return colour


def _by_ranks(table: Table, ranks: np.ndarray) -> np.ndarray | None:
    columns = table.n_values <= FEW_VALUES
    if columns.sum() < 3:
        return None
    return hash_rows(mix(ranks[:, columns]), ordered=True)


FORMS: tuple[Callable[[Table], np.ndarray | None], ...] = (
    by_refinement, by_values, by_coarse_numbers, by_pairs, by_low_ranks, by_high_ranks)
