"""A dataset as cells of numbers that rows and columns are compared by, with their 64-bit hashes."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from collection.datasets import Dataset

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
    return mix(pd.util.hash_array(plain)) if len(plain) else np.zeros(0, np.uint64)


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
