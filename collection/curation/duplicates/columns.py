"""Which column of one table is which of another, learned from rows that look the same."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from collection.curation.duplicates.table import Table

AGREEMENT = 0.8  # of the seed rows, for two columns to be the same
FEW = 20  # values of a column that may agree with another by chance; its translation is tried too
LEAST_SHARE = 0.8  # of the columns of the table that has fewer
SEEDS = 300  # rows by which columns are matched
CELLS = 3e6  # of seeds × columns × columns; fewer seeds where there are more columns
POSITION = 1e-3  # what standing at the same place adds, among columns that agree as well


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
    guess = np.maximum.reduceat(sizes[1], starts[1]) / sizes[1][:_first(starts[1])].sum()
    return np.where(share - guess >= 0.5 * (1 - guess), share, 0)


def _first(starts: np.ndarray) -> int | None:
    return starts[1] if len(starts) > 1 else None
