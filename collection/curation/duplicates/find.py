"""Find datasets that share their rows, and put them into groups.

Forms of rows stay the same when a table is reordered, recoded, rounded or cut down. Each form
turns a table into one hash per row, or several for its parts. Tables that share hashes may share
rows: this index proposes them, and `collection.curation.duplicates.confirm` looks at the cells
themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from collection.curation.duplicates.confirm import KINDS, Finding, confirm
from collection.curation.duplicates.table import Table, as_table, hash_numbers, hash_rows, mix
from collection.datasets import Dataset

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


COLUMNS = ["dataset", "twin", "kind", "rows_shared"]

__all__ = ["COLUMNS", "KINDS", "find_duplicates", "group_duplicates"]


def find_duplicates(datasets: Iterable[Dataset]) -> pd.DataFrame:
    """Find pairs of datasets that are the same table, or share most of their rows.

    Parameters
    ----------
    datasets : iterable of Dataset
        Each with another source.

    Returns
    -------
    pandas.DataFrame
        A row per pair: ``dataset`` and ``twin`` (their sources; the first has at least as many
        rows), ``kind`` (one of `KINDS`), ``rows_shared`` (rows of the twin that are found in the
        dataset, each as often as it occurs in both).
    """
    tables = [as_table(dataset) for dataset in datasets]
    best: dict[tuple[int, int], Finding] = {}
    for i, j, rows in candidates(tables):
        if (i, j) in best and best[i, j].settled:
            continue
        found = confirm(tables[i], tables[j], rows)
        if found and ((i, j) not in best or found.shared > best[i, j].shared):
            best[i, j] = found
    rows = [(f.larger, f.smaller, f.kind, f.shared) for f in best.values()]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values(["dataset", "twin"], ignore_index=True)


def group_duplicates(found: pd.DataFrame) -> list[list[str]]:
    """Put datasets that are linked by pairs into groups, each sorted, the first name first.

    Parameters
    ----------
    found : pandas.DataFrame
        As `find_duplicates` returns it, or a part of it.
    """
    names = sorted({*found["dataset"], *found["twin"]})
    at = {name: k for k, name in enumerate(names)}
    links = (found["dataset"].map(at), found["twin"].map(at))
    graph = coo_array(([1] * len(found), links), shape=(len(names), len(names)))
    group = pd.Series(connected_components(graph, directed=False)[1], index=names)
    return [sorted(members.index) for _, members in group.groupby(group)]
