"""A dataset as cells of numbers that rows are compared by; which columns of two are the same."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from collection.datasets import Dataset

AGREEMENT = 0.8  # of the seed rows, for two columns to be the same
FEW = 20  # values of a column that may agree with another by chance; its translation is tried too
LEAST_SHARE = 0.8  # of the columns of the table that has fewer
SEEDS = 300  # rows by which columns are matched
CELLS = 3e6  # of seeds × columns × columns; fewer seeds where there are more columns
POSITION = 1e-3  # what standing at the same place adds, among columns that agree as well
DIGITS = 10  # significant digits to which numbers have to agree


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


def hash_texts(texts: Iterable[str]) -> np.ndarray:
    """Hash texts, but for case and outer blanks."""
    plain = np.array([str(t).strip().casefold() for t in texts], dtype=object)
    return mix(pd.util.hash_array(plain))


def hash_rows(cells: np.ndarray, ordered: bool = False) -> np.ndarray:
    """Hash the rows of `cells`: as sets of cells, or with each cell in its column."""
    if ordered:
        cells = cells ^ mix(np.arange(cells.shape[1], dtype=np.uint64))
    with np.errstate(over="ignore"):
        return mix(cells).sum(axis=1, dtype=np.uint64)


MOST_DECIMALS = 9  # what lies behind is noise of the arithmetic


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
    cells = np.where(np.isnan(numbers), hash_texts(categories), hash_numbers(numbers))
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
        None where fewer than `LEAST_SHARE` of the columns find a partner.
    """
    n_columns = one.codes.shape[1] * two.codes.shape[1]
    n_seeds = int(min(SEEDS, max(20, CELLS / n_columns)))
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, n_seeds).astype(int))]
    tolerance = _tolerance(one, two)
    same = _same_numbers(one, two, rows, tolerance)
    meant = 0.999 * _translated(one.codes[rows[:, 0]], two.codes[rows[:, 1]],
                                (same.max(axis=1) < AGREEMENT) | (one.n_values <= FEW),
                                (same.max(axis=0) < AGREEMENT) | (two.n_values <= FEW))
    score = np.maximum(same, meant)
    places = [np.linspace(0, 1, max(n, 2))[:n] for n in score.shape]
    bonus = POSITION * (1 - np.abs(places[0][:, None] - places[1][None, :]))
    first, second = linear_sum_assignment(-(score + bonus))
    good = score[first, second] >= AGREEMENT
    if good.sum() < max(2, LEAST_SHARE * min(score.shape)):
        return None
    first, second = first[good], second[good]
    by_value = (same >= meant)[first, second]
    return Columns(first, second, by_value, np.where(by_value, tolerance[first, second], 0))


def _tolerance(one: Table, two: Table) -> np.ndarray:
    """Return half a unit of the coarser decimals, for each pair of columns; 0 where equal."""
    a, b = one.decimals[:, None], two.decimals[None, :]
    return np.where(a == b, 0.0, 0.5000001 * 10.0 ** -np.minimum(a, b))


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
