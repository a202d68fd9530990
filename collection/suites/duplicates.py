"""The same table under another name, whatever its order, coding, rounding or share of rows.

Forms of rows stay the same when a table is reordered, recoded, rounded or cut down. Each form
turns a table into one hash per row, or several for its parts. Tables that share hashes may share
rows: this index proposes them, and `confirm` looks at the cells themselves: how many rows two
tables share, and in which way they are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from collection.datasets import Dataset

AGREEMENT = 0.8  # of the seed rows, for two columns to be the same
FEW = 20  # values of a column that may agree with another by chance; its translation is tried too
LEAST_COLUMNS = 0.8  # of the columns of the table that has fewer
SEEDS = 300  # rows by which columns are matched
CELLS = 3e6  # of seeds × columns × columns; fewer seeds where there are more columns
POSITION = 1e-3  # what standing at the same place adds, among columns that agree as well
DIGITS = 10  # significant digits to which numbers have to agree
MOST_DECIMALS = 9  # what lies behind is noise of the arithmetic
FEW_VALUES = 12  # distinct values up to which a column may be a coded category
RICHEST = 6  # columns that are looked at by pairs
ROUNDS = 3  # of refinement: values by their rows, rows by their values
OTHER_TARGET = ", other target"
MERGED = ", classes merged"
WHOLE = 0.95  # share of rows that counts as all: a few may have been mended in one table
LEAST = 0.5  # share of the smaller table's rows that makes an overlap
CHANCE = 0.5  # share of the shared rows that shuffled columns may share as well
SAME_CLASSES = 0.9  # of the shared rows whose class the other class tells
PARTS = 4  # of the columns, each left out once in a second look
ROOM = 10  # possible rows per row, below which shared rows prove nothing
APART = 1e6  # distance, in tolerances, of values that are not numbers to be compared
COLUMNS = ["dataset", "twin", "kind", "rows_shared"]
LEAST_ROWS = 3  # distinct rows shared
LEAST_ROWS_SHARE = 0.02  # of the distinct rows of the table that has fewer
ENOUGH_ALONE = 20  # rows that no other row looks like, to leave out those that others do


def mix(values: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers, one to one (splitmix64's finaliser)."""
    with np.errstate(over="ignore"):
        z = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def hash_numbers(numbers: np.ndarray) -> np.ndarray:
    """Hash numbers by their first `DIGITS` significant digits; NaN becomes 0."""
    known = np.nan_to_num(numbers) + 0.0  # and −0 becomes 0
    exponent = np.floor(np.log10(np.abs(known), where=known != 0, out=np.zeros_like(known)))
    mantissa = np.rint(known / 10.0 ** (exponent - DIGITS + 1))
    carried = np.abs(mantissa) == 10**DIGITS
    mantissa, exponent = np.where(carried, mantissa / 10, mantissa), exponent + carried
    mantissa, exponent = (x.astype(np.int64).view(np.uint64) for x in (mantissa, exponent))
    keys = mantissa ^ mix(exponent)
    return np.where(np.isnan(numbers), np.uint64(0), mix(keys))


def hash_rows(cells: np.ndarray, ordered: bool = False) -> np.ndarray:
    """Hash the rows of `cells`: as sets of cells, or with each cell in its column."""
    if ordered:
        cells = cells ^ mix(np.arange(cells.shape[1], dtype=np.uint64))
    with np.errstate(over="ignore"):
        return mix(cells).sum(axis=1, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Table:
    """The features of a dataset in comparable form.

    Attributes
    ----------
    name : str
        The dataset's source.
    numbers : ndarray of float, shape (n_rows, n_columns)
        Values that are numbers, or texts that spell one; NaN elsewhere.
    cells : ndarray of uint64, shape (n_rows, n_columns)
        Equal where values are equal: as numbers to 10 digits, as text but for case and blanks;
        0 where the value is missing.
    codes : ndarray of int, shape (n_rows, n_columns)
        Number of each cell's value within its column, in order of numbers or of texts; a missing
        one comes first.
    labels : ndarray of int, shape (n_rows,)
        The class of each row.
    rows : ndarray of uint64, shape (n_rows,)
        Hash of each row as a set of values, those of constant columns among them.
    """

    name: str
    numbers: np.ndarray
    cells: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    rows: np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @cached_property
    def n_values(self) -> np.ndarray:
        """Distinct values of each column, a missing one among them."""
        return self.codes.max(axis=0) + 1

    @cached_property
    def decimals(self) -> np.ndarray:
        """Decimals to which each column's numbers are written, at most `MOST_DECIMALS`."""
        needed = np.full(self.numbers.shape[1], MOST_DECIMALS)
        for digits in range(MOST_DECIMALS - 1, -1, -1):
            scaled = self.numbers * 10.0**digits
            whole = np.abs(scaled - np.rint(scaled)) <= 1e-6 * np.maximum(1, np.abs(scaled) * 1e-6)
            fits = (whole | np.isnan(self.numbers)).all(axis=0)
            needed[fits & (needed == digits + 1)] = digits
        return needed


def as_table(dataset: Dataset) -> Table:
    """Bring a dataset's features into comparable form; constant columns are left out.

    Those may vary in another table that has these rows and more.
    """
    columns = zip(*(_column(dataset.features[c]) for c in dataset.features), strict=True)
    numbers, cells, codes = (np.column_stack(c) for c in columns)
    varied = (codes != codes[0]).any(axis=0)
    labels = np.unique(dataset.target, return_inverse=True)[1]
    return Table(dataset.source, numbers[:, varied], cells[:, varied], codes[:, varied], labels,
                 hash_rows(cells))


def _column(column: pd.Series) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a column's numbers, the hashes of its cells, and the numbers of its values."""
    if column.dtype == np.float64:
        numbers = column.to_numpy()
        return numbers, hash_numbers(numbers), _ranks(numbers)
    categories = pd.Series(column.cat.categories, dtype=object)
    numbers = pd.to_numeric(categories, errors="coerce").to_numpy(float)
    texts = np.array([str(c).strip().casefold() for c in categories], dtype=object)
    cells = np.where(np.isnan(numbers), mix(pd.util.hash_array(texts)), hash_numbers(numbers))
    order = np.arange(len(numbers)) if np.isnan(numbers).any() else numbers
    codes = column.cat.codes.to_numpy()
    missing = codes < 0
    return (np.where(missing, np.nan, numbers[codes]),
            np.where(missing, np.uint64(0), cells[codes]),
            _ranks(np.where(missing, np.nan, order[codes])))


def _ranks(numbers: np.ndarray) -> np.ndarray:
    """Return the rank of each number among the distinct ones; a missing one comes first."""
    return np.unique(np.nan_to_num(numbers, nan=-np.inf), return_inverse=True)[1]


@dataclass(frozen=True, eq=False)
class Columns:
    """Pairs of columns.

    Attributes
    ----------
    first, second : ndarray of int, shape (n,)
        Positions in the two tables.
    by_value : ndarray of bool, shape (n,)
        Whether the values are the same numbers; otherwise they stand for each other.
    tolerance : ndarray of float, shape (n,)
        By which the numbers may differ: half a unit of the coarser table's last decimal, and 0
        where both have the same decimals.
    """

    first: np.ndarray
    second: np.ndarray
    by_value: np.ndarray
    tolerance: np.ndarray


def match_columns(one: Table, two: Table, rows: np.ndarray) -> Columns | None:
    """Pair the columns of two tables that agree in `rows`.

    Parameters
    ----------
    one, two : Table
        The tables.
    rows : ndarray of int, shape (n, 2)
        Rows that look the same.

    Returns
    -------
    Columns or None
        None where fewer than `LEAST_COLUMNS` of the columns find a partner.
    """
    n_columns = one.codes.shape[1] * two.codes.shape[1]
    n_seeds = int(min(SEEDS, max(20, CELLS / n_columns)))
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, n_seeds).astype(int))]
    a, b = one.decimals[:, None], two.decimals[None, :]
    # Half a unit of the coarser decimals, for each pair of columns; 0 where equal.
    tolerance = np.where(a == b, 0.0, 0.5000001 * 10.0 ** -np.minimum(a, b))
    same = _same_numbers(one, two, rows, tolerance)
    meant = 0.999 * _translated(one.codes[rows[:, 0]], two.codes[rows[:, 1]],
                                (same.max(axis=1) < AGREEMENT) | (one.n_values <= FEW),
                                (same.max(axis=0) < AGREEMENT) | (two.n_values <= FEW))
    score = np.maximum(same, meant)
    places = [np.linspace(0, 1, max(n, 2))[:n] for n in score.shape]
    bonus = POSITION * (1 - np.abs(places[0][:, None] - places[1][None, :]))
    first, second = linear_sum_assignment(-(score + bonus))
    good = score[first, second] >= AGREEMENT
    if good.sum() < max(2, LEAST_COLUMNS * min(score.shape)):
        return None
    first, second = first[good], second[good]
    by_value = (same >= meant)[first, second]
    return Columns(first, second, by_value, np.where(by_value, tolerance[first, second], 0))


def _same_numbers(one: Table, two: Table, rows: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Return the share of `rows` in which each pair of columns has the same value."""
    a, b = one.numbers[rows[:, 0]][:, :, None], two.numbers[rows[:, 1]][:, None, :]
    close = np.abs(a - b) <= tolerance + 1e-9 * np.abs(a)
    equal = one.cells[rows[:, 0]][:, :, None] == two.cells[rows[:, 1]][:, None, :]
    return (close | equal).mean(axis=0)


def _translated(a: np.ndarray, b: np.ndarray, open_a: np.ndarray, open_b: np.ndarray) -> np.ndarray:
    """Return the share of rows that a one-to-one translation of values explains.

    0 between columns that are not open. A value that occurs once proves nothing and does not
    count; where less than half the rows have a value that recurs, the share is 0. So it is where
    the translation explains little more than the most frequent value does.
    """
    score = np.zeros((a.shape[1], b.shape[1]))
    left, right = _recurring(a) & open_a, _recurring(b) & open_b
    if not (left.any() and right.any()):
        return score
    hot_a, starts_a = _one_hot(a[:, left])
    hot_b, starts_b = _one_hot(b[:, right])
    both = hot_a.T @ hot_b
    sizes, starts = (hot_a.sum(axis=0), hot_b.sum(axis=0)), (starts_a, starts_b)
    forward = _explained(both, sizes, starts)
    backward = _explained(both.T, sizes[::-1], starts[::-1]).T
    score[np.ix_(left, right)] = np.minimum(forward, backward)
    return score


def _recurring(codes: np.ndarray) -> np.ndarray:
    """Tell which columns have several values, and values that recur in half the rows."""
    counts = [np.bincount(c) for c in codes.T]
    return np.array([n[n > 1].sum() >= len(codes) / 2 and (n > 0).sum() > 1 for n in counts], bool)


def _one_hot(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of zeros and ones for each value, and where each column's values start."""
    hot = [(c[:, None] == np.unique(c)[None, :]) for c in codes.T]
    starts = np.cumsum([0, *(h.shape[1] for h in hot[:-1])])
    return np.concatenate(hot, axis=1).astype(np.float32), starts


def _explained(both: np.ndarray, sizes: tuple[np.ndarray, np.ndarray],
               starts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the share of rows in which a value's most frequent counterpart stands beside it."""
    often = np.where(sizes[0] > 1, sizes[0], 0)
    most = np.where(often[:, None] > 0, np.maximum.reduceat(both, starts[1], axis=1), 0)
    rows = np.maximum(np.add.reduceat(often, starts[0]), 1)
    share = np.add.reduceat(most, starts[0], axis=0) / rows[:, None]
    n_rows = sizes[1].sum() / len(starts[1])
    guess = np.maximum.reduceat(sizes[1], starts[1]) / n_rows
    return np.where(share - guess >= 0.5 * (1 - guess), share, 0)


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


def by_high_ranks(table: Table) -> np.ndarray | None:
    """Rows of coded categories by the rank of each value, from the highest; columns in order.

    So the values keep their ranks where one table has a further, lowest code for missing.
    """
    columns = table.n_values <= FEW_VALUES
    if columns.sum() < 3:
        return None
    ranks = table.n_values - 1 - table.codes
    return hash_rows(mix(ranks[:, columns]), ordered=True)


def by_refinement(table: Table) -> np.ndarray:
    """Rows by how often their values occur, with which others, and so on (colour refinement).

    Blind to the order of rows and columns and to any recoding, but only of the whole table.
    """
    n_rows, n_columns = table.codes.shape
    column_starts = np.concatenate([[0], np.cumsum(table.n_values)[:-1]])
    values = table.codes + column_starts
    order = np.argsort(values, axis=None, kind="stable")
    row_of, value_of = order // n_columns, values.ravel()[order]
    starts = np.flatnonzero(np.diff(value_of, prepend=-1))
    colour = np.full(n_rows, np.uint64(n_rows))
    for _ in range(ROUNDS):
        of_value = mix(np.add.reduceat(mix(colour)[row_of], starts))
        of_column = mix(np.add.reduceat(mix(of_value), column_starts))
        of_value = mix(of_value ^ np.repeat(of_column, table.n_values))
        colour = of_value[values].sum(axis=1, dtype=np.uint64)
    return colour


FORMS: tuple[Callable[[Table], np.ndarray | None], ...] = (
    by_refinement, by_values, by_coarse_numbers, by_pairs, by_high_ranks)


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
        common.data >= np.maximum(LEAST_ROWS, LEAST_ROWS_SHARE * smaller))
    return list(zip(common.row[enough].tolist(), common.col[enough].tolist(), strict=True))


@dataclass(frozen=True)
class Duplicate:
    """Two tables that are the same, or partly so.

    Attributes
    ----------
    larger, smaller : str
        Names; in order where they have as many rows.
    kind : {"copy", "recoded", "rounded", "altered", "subset", "overlap"}
        The same rows with the same values; with values of a column replaced by others, one to one;
        with numbers rounded; with a column left out or changed in another way. Or the rows of one
        are among those of the other, all or at least half. With `OTHER_TARGET` or `MERGED` behind
        it where the classes are not the same.
    shared : int
        Rows found in both.
    settled : bool
        Whether these are (nearly) all rows of the smaller, so that no other look can find more.
    """

    larger: str
    smaller: str
    kind: str
    shared: int
    settled: bool


def confirm(one: Table, two: Table, rows: np.ndarray) -> Duplicate | None:
    """Tell how the tables are the same, or that they are not (None).

    Parameters
    ----------
    one, two : Table
        The tables.
    rows : ndarray of int, shape (n, 2)
        Rows of the one and the other that look the same.
    """
    if (one.n_rows, two.name) < (two.n_rows, one.name):
        one, two, rows = two, one, rows[:, ::-1]
    look = _look(one, two, match_columns(one, two, rows), rows)
    if look and look.shared < WHOLE * two.n_rows:
        look = max(look, _again(one, two, look), key=lambda found: found.shared)
    if not look or look.shared < max(2, LEAST * two.n_rows):
        return None
    complete = look.shared == one.n_rows == two.n_rows
    if not complete and (_is_dense(one, look.columns) or
                         _by_chance(*look.points) > CHANCE * look.shared):
        return None
    kind = _kind(one, two, look.columns, look.shared) + _target(one, two, look.row_of)
    return Duplicate(one.name, two.name, kind, look.shared, look.shared >= WHOLE * two.n_rows)


@dataclass(frozen=True, eq=False)
class _Look:
    """Two tables laid side by side: their columns, their rows as points, which row is which."""

    columns: Columns
    rows: np.ndarray
    points: tuple[np.ndarray, np.ndarray]
    row_of: np.ndarray

    @property
    def shared(self) -> int:
        return int((self.row_of >= 0).sum())


def _look(one: Table, two: Table, columns: Columns | None, rows: np.ndarray) -> _Look | None:
    if columns is None:
        return None
    points = _points(one, two, columns, rows)
    return _Look(columns, rows, points, _aligned(*points))


def _again(one: Table, two: Table, look: _Look) -> _Look:
    """Match the columns anew by all rows that agree but for a part of the columns.

    So a column that has changed in most rows, which the first rows could not show, drops out.
    """
    a, b = look.points
    more = [look.rows]
    for part in range(PARTS):
        kept = np.arange(a.shape[1]) % PARTS != part
        row_of = _aligned(a[:, kept], b[:, kept])
        more.append(np.column_stack([row_of, np.arange(len(b))])[row_of >= 0])
    rows = np.unique(np.concatenate(more), axis=0)
    return _look(one, two, match_columns(one, two, rows), rows) or look


def _is_dense(table: Table, columns: Columns) -> bool:
    """Tell whether the rows fill so much of all possible rows that any table would share some."""
    possible = np.log(table.n_values[columns.first]).sum()
    return bool(possible < np.log(ROOM * table.n_rows))


def _points(one: Table, two: Table, columns: Columns, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return both tables' matched columns in one coding: equal within 1 where they are equal."""
    a, b = (np.empty((t.n_rows, len(columns.first))) for t in (one, two))
    for k, (i, j) in enumerate(zip(columns.first, columns.second, strict=True)):
        if columns.by_value[k] and columns.tolerance[k]:
            a[:, k] = _in_tolerances(one.numbers[:, i], columns.tolerance[k])
            b[:, k] = _in_tolerances(two.numbers[:, j], columns.tolerance[k])
        elif columns.by_value[k]:
            both = np.concatenate([one.cells[:, i], two.cells[:, j]])
            codes = np.unique(both, return_inverse=True)[1] * APART
            a[:, k], b[:, k] = codes[:one.n_rows], codes[one.n_rows:]
        else:
            a[:, k] = one.codes[:, i] * APART
            b[:, k] = _translate(two.codes[:, j], one.codes[rows[:, 0], i], rows[:, 1]) * APART
    return a, b


def _in_tolerances(numbers: np.ndarray, tolerance: float) -> np.ndarray:
    """Return numbers in units of the tolerance; a missing one is far from all."""
    return np.where(np.isnan(numbers), -1e12, numbers / tolerance)


def _translate(codes: np.ndarray, meant: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Replace each value by the one it stands for in most of `rows`; −1 − code where none."""
    counts = np.zeros((codes.max() + 1, meant.max() + 1), int)
    np.add.at(counts, (codes[rows], meant), 1)
    best = np.where(counts.max(axis=1) > 0, counts.argmax(axis=1), -1 - np.arange(len(counts)))
    return best[codes]


def _aligned(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return for each row of `b` a row of `a` that equals it, each used once; −1 where none."""
    a, b = (hash_rows(mix(keys), ordered=True) for keys in _snapped(a, b))
    order_a, order_b = np.argsort(a, kind="stable"), np.argsort(b, kind="stable")
    sorted_a, sorted_b = a[order_a], b[order_b]
    start = np.searchsorted(sorted_a, sorted_b)
    nth = np.arange(len(b)) - np.searchsorted(sorted_b, sorted_b)
    found = np.searchsorted(sorted_a, sorted_b, side="right") - start > nth
    row_of = np.full(len(b), -1)
    row_of[order_b[found]] = order_a[(start + nth)[found]]
    return row_of


def _snapped(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Return the rows in whole numbers, those of `a` moved to the row of `b` that equals them."""
    keys = [np.rint(x).astype(np.int64).view(np.uint64) for x in (a, b)]
    if (a % 1 != 0).any() or (b % 1 != 0).any() or (a % APART != 0).any():
        distance, nearest = cKDTree(b).query(a, p=np.inf, distance_upper_bound=1.001)
        keys[0][np.isfinite(distance)] = keys[1][nearest[np.isfinite(distance)]]
    return keys


def _by_chance(a: np.ndarray, b: np.ndarray) -> int:
    """Return how many rows are shared once each column of `b` is shuffled by itself."""
    shuffled = np.random.default_rng(0).permuted(b, axis=0)
    return int((_aligned(a, shuffled) >= 0).sum())


def _kind(one: Table, two: Table, columns: Columns, shared: int) -> str:
    if shared < WHOLE * two.n_rows:
        return "overlap"
    if shared < WHOLE * one.n_rows:
        return "subset"
    if len(columns.first) < max(one.codes.shape[1], two.codes.shape[1]):
        return "altered"
    if not columns.by_value.all():
        return "recoded"
    return "rounded" if columns.tolerance.any() else "copy"


def _target(one: Table, two: Table, row_of: np.ndarray) -> str:
    """Say how the classes of shared rows differ, if they do but for their names."""
    x, y = one.labels[row_of[row_of >= 0]], two.labels[row_of >= 0]
    counts = np.zeros((x.max() + 1, y.max() + 1), int)
    np.add.at(counts, (x, y), 1)
    forward, backward = counts.max(axis=1).sum() / len(x), counts.max(axis=0).sum() / len(x)
    several = min((counts.sum(axis=0) > 0).sum(), (counts.sum(axis=1) > 0).sum()) > 1
    if min(forward, backward) >= SAME_CLASSES and several:
        return ""
    return MERGED if max(forward, backward) >= 0.999 and several else OTHER_TARGET


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
        rows), ``kind`` (see `Duplicate`), ``rows_shared`` (rows of the twin that are found in the
        dataset, each as often as it occurs in both).
    """
    tables = [as_table(dataset) for dataset in datasets]
    best: dict[tuple[int, int], Duplicate] = {}
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
