"""Look at two tables' cells: how many rows they share, and in which way they are the same."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from collection.curation.duplicates.table import Columns, Table, hash_rows, match_columns, mix

KINDS = {
    "copy": "the same rows with the same values",
    "recoded": "the same rows, values of a column replaced by others, one to one",
    "rounded": "the same rows, numbers rounded",
    "altered": "the same rows, a column left out or changed in another way",
    "subset": "the rows of one are among those of the other",
    "overlap": "at least half of the rows of one are among those of the other",
}
OTHER_TARGET = ", other target"
MERGED = ", classes merged"
WHOLE = 0.95  # share of rows that counts as all: a few may have been mended in one table
LEAST = 0.5  # share of the smaller table's rows that makes an overlap
CHANCE = 0.5  # share of the shared rows that shuffled columns may share as well
SAME_CLASSES = 0.9  # of the shared rows whose class the other class tells
PARTS = 4  # of the columns, each left out once in a second look
ROOM = 10  # possible rows per row, below which shared rows prove nothing
APART = 1e6  # distance, in tolerances, of values that are not numbers to be compared


@dataclass(frozen=True)
class Finding:
    """Two tables that are the same, or partly so.

    Attributes
    ----------
    larger, smaller : str
        Names; in order where they have as many rows.
    kind : str
        Of `KINDS`, perhaps with `OTHER_TARGET` or `MERGED`.
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


def confirm(one: Table, two: Table, rows: np.ndarray, seed: int = 0) -> Finding | None:
    """Tell how the tables are the same, or that they are not (None).

    Parameters
    ----------
    one, two : Table
        The tables.
    rows : ndarray of int, shape (n, 2)
        Rows of the one and the other that look the same.
    seed : int
        Of the shuffle that tells what would be shared by chance.
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
                         _by_chance(*look.points, seed) > CHANCE * look.shared):
        return None
    kind = _kind(one, two, look.columns, look.shared) + _target(one, two, look.row_of)
    return Finding(one.name, two.name, kind, look.shared, look.shared >= WHOLE * two.n_rows)


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
    a, b = _snapped(a, b), hash_rows(mix(np.rint(b).astype(np.int64).view(np.uint64)), ordered=True)
    order_a, order_b = np.argsort(a, kind="stable"), np.argsort(b, kind="stable")
    sorted_a, sorted_b = a[order_a], b[order_b]
    start = np.searchsorted(sorted_a, sorted_b)
    nth = np.arange(len(b)) - np.searchsorted(sorted_b, sorted_b)
    found = np.searchsorted(sorted_a, sorted_b, side="right") - start > nth
    row_of = np.full(len(b), -1)
    row_of[order_b[found]] = order_a[(start + nth)[found]]
    return row_of


def _snapped(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the hashes of rows of `a`, moved to the row of `b` that equals them, if one does."""
    keys = [np.rint(x).astype(np.int64).view(np.uint64) for x in (a, b)]
    if not ((a % 1 != 0).any() or (b % 1 != 0).any() or (a % APART != 0).any()):
        return hash_rows(mix(keys[0]), ordered=True)
    distance, nearest = cKDTree(b).query(a, p=np.inf, distance_upper_bound=1.001)
    keys[0][np.isfinite(distance)] = keys[1][nearest[np.isfinite(distance)]]
    return hash_rows(mix(keys[0]), ordered=True)


def _by_chance(a: np.ndarray, b: np.ndarray, seed: int) -> int:
    """Return how many rows are shared once each column of `b` is shuffled by itself."""
    rng = np.random.default_rng(seed)
    return int((_aligned(a, rng.permuted(b, axis=0)) >= 0).sum())


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
