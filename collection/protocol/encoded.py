"""A dataset as numbers, made once, and what imputers, encoders and scalers learn from its prefixes.

For the statistics of prefixes each row is touched once: those of the stretch between two prefixes'
ends are merged into those of the shorter prefix. (Medians excepted, and those are only taken of
features with missing values.)
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

LARGE = 1e30


class Identity:
    """Make any object a key of a cache: equal only to itself."""

    def __init__(self, value: object):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value


@dataclass(frozen=True, eq=False)
class Encoded:
    """A dataset as numbers.

    Attributes
    ----------
    numeric : ndarray of float, shape (n_rows, n_numeric)
        NaN is a missing value.
    codes : ndarray of int, shape (n_rows, n_categorical)
        Position of the value in `categories`; -1 is a missing value.
    categories : tuple of ndarray of str
        Per categorical feature the values that occur, sorted as text.
    labels : ndarray of int, or of float, shape (n_rows,)
        Position of the class in `classes`; for regression the number to predict.
    classes : ndarray of str
        Sorted as text; none for regression.
    numeric_names, categorical_names : tuple of str
        Features, in the dataset's order.
    """

    numeric: np.ndarray
    codes: np.ndarray
    categories: tuple[np.ndarray, ...]
    labels: np.ndarray
    classes: np.ndarray
    numeric_names: tuple[str, ...] = ()
    categorical_names: tuple[str, ...] = ()

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each categorical feature's block of one-hot columns starts, and the last ends."""
        return np.cumsum([0, *(len(c) for c in self.categories)], dtype=np.intp)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the numbers to predict, over all rows; NaN for classes."""
        return np.nan if len(self.classes) else float(np.std(self.labels))

    @cached_property
    def is_tame(self) -> bool:
        """Whether every number also fits single precision, so that no learner need check it."""
        numbers = np.abs(self.numeric[~np.isnan(self.numeric)])
        return bool(numbers.max(initial=0) < LARGE)


def encode(dataset) -> Encoded:
    """Return `dataset` as numbers; the same object is encoded once per process.

    Parameters
    ----------
    dataset : collection.datasets.Dataset
        Columns of dtype category or object are categorical, all others numeric.
    """
    return _encode(Identity(dataset))


@lru_cache(maxsize=4)
def _encode(key: Identity) -> Encoded:
    features: pd.DataFrame = key.value.features
    is_numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in features.dtypes]
    numeric = features.loc[:, is_numeric]
    categorical = features.loc[:, ~np.array(is_numeric, dtype=bool)]
    coded = [_code(column) for _, column in categorical.items()]
    codes = np.column_stack([c for c, _ in coded]) if coded else np.empty((len(features), 0))
    classes, labels = _labels(np.asarray(key.value.target))
    return Encoded(
        numeric=np.ascontiguousarray(numeric.to_numpy(np.float64, na_value=np.nan)),
        codes=codes.astype(np.int32),
        categories=tuple(values for _, values in coded),
        labels=labels,
        classes=classes,
        numeric_names=tuple(map(str, numeric.columns)),
        categorical_names=tuple(map(str, categorical.columns)),
    )


def _labels(target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return classes and labels; numbers to predict have no classes."""
    if target.dtype.kind == "f":
        return np.array([], str), target
    classes, labels = np.unique(target.astype(str), return_inverse=True)
    return classes, labels.astype(np.int64)


def _code(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    missing = column.isna().to_numpy()
    values, present = np.unique(column[~missing].astype(str).to_numpy(str), return_inverse=True)
    codes = np.full(len(column), -1, np.int32)
    codes[~missing] = present
    return codes, values


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of the first `ends[k]` rows, for every k; all arrays start with that axis.

    Attributes
    ----------
    ends : ndarray of int, shape (n_ends,)
    median : ndarray, shape (n_ends, n_numeric)
        Of features with missing values anywhere in the dataset; NaN for the others, and where
        all values of the prefix are missing.
    observed : ndarray of int, shape (n_ends, n_numeric)
        Values that are not missing.
    low, high : ndarray, shape (n_ends, n_numeric)
        Extremes of the observed values; ±inf where there is none.
    counts : ndarray of int, shape (n_ends, n_onehot)
        Rows of each category, missing values left out.
    mode : ndarray of int, shape (n_ends, n_categorical)
        Most frequent category, the first by name where several are.
    missing : ndarray of int, shape (n_ends, n_categorical)
    mean, deviation : ndarray, shape (n_ends, n_numeric)
        Of the imputed features (population standard deviation).
    """

    ends: np.ndarray
    median: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    mode: np.ndarray
    missing: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray


def fit_statistics(encoded: Encoded, rows: np.ndarray, ends: np.ndarray) -> Statistics:
    """Gather the statistics of ``rows[:end]`` for every end.

    Parameters
    ----------
    encoded : Encoded
    rows : ndarray of int
        Rows of the dataset, in order.
    ends : ndarray of int, ascending, at least one
    """
    rows, ends = rows[: ends[-1]], np.asarray(ends, np.int64)
    numeric = encoded.numeric[rows]
    present = ~np.isnan(numeric)
    observed = _running(np.add, present.astype(np.int64), ends)
    gaps = np.flatnonzero(np.isnan(encoded.numeric).any(axis=0))
    median = _medians(numeric, present, ends, gaps)
    low = _running(np.minimum, np.where(present, numeric, np.inf), ends)
    high = _running(np.maximum, np.where(present, numeric, -np.inf), ends)
    mean, deviation = _moments(numeric, present, observed, median, ends)
    counts = _count_categories(encoded, rows, ends)
    mode, missing = _modes(encoded, counts, ends)
    return Statistics(ends=ends, median=median, observed=observed, low=low, high=high,
                      counts=counts, mode=mode, missing=missing, mean=mean, deviation=deviation)


def _starts(ends: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], ends[:-1]])


def _running(ufunc: np.ufunc, values: np.ndarray, ends: np.ndarray) -> np.ndarray:
    return ufunc.accumulate(ufunc.reduceat(values, _starts(ends), axis=0), axis=0)


def _medians(numeric: np.ndarray, present: np.ndarray, ends: np.ndarray,
             columns: np.ndarray) -> np.ndarray:
    medians = np.full((len(ends), numeric.shape[1]), np.nan)
    for column in columns:
        for k, end in enumerate(ends):
            values = numeric[:end, column][present[:end, column]]
            if len(values):
                medians[k, column] = np.median(values)
    return medians


def _moments(numeric: np.ndarray, present: np.ndarray, observed: np.ndarray, median: np.ndarray,
             ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations by Chan's merging of neighbouring stretches, which cancels nothing."""
    starts, lengths = _starts(ends), np.diff(ends, prepend=0)
    values = np.where(present, numeric, 0.0)
    number = np.diff(observed, prepend=np.zeros_like(observed[:1]), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        stretch_mean = np.nan_to_num(np.add.reduceat(values, starts, axis=0) / number)
    centred = np.where(present, numeric - np.repeat(stretch_mean, lengths, axis=0), 0.0)
    stretch_squares = np.add.reduceat(centred**2, starts, axis=0)
    mean, squares = np.zeros_like(stretch_mean), np.zeros_like(stretch_mean)
    total, sum_mean, sum_squares = np.zeros((3, numeric.shape[1]))
    for k in range(len(ends)):
        total, sum_mean, sum_squares = _merge(
            total, sum_mean, sum_squares, number[k], stretch_mean[k], stretch_squares[k])
        mean[k], squares[k] = sum_mean, sum_squares
    # Imputed values are so many copies of the median.
    imputed = ends[:, None] - observed
    _, mean, squares = _merge(observed, mean, squares, imputed, np.nan_to_num(median), 0.0)
    return mean, np.sqrt(squares / ends[:, None])


def _merge(n, mean, squares, more, more_mean, more_squares):
    """Merge counts, means and sums of squared deviations of two sets of values."""
    both = np.maximum(n + more, 1)
    gap = more_mean - mean
    return (n + more, mean + gap * (more / both),
            squares + more_squares + gap**2 * (n * (more / both)))


def _count_categories(encoded: Encoded, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    codes, width = encoded.codes[rows], int(encoded.starts[-1])
    stretch = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    cell = codes + encoded.starts[:-1] + (stretch * width)[:, None]
    counts = np.bincount(cell[codes >= 0], minlength=len(ends) * width)
    return counts.reshape(len(ends), width).cumsum(axis=0)


def _modes(encoded: Encoded, counts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mode = np.zeros((len(ends), len(encoded.categories)), np.int32)
    missing = np.repeat(ends[:, None], mode.shape[1], axis=1)
    for j, (start, stop) in enumerate(zip(encoded.starts[:-1], encoded.starts[1:], strict=True)):
        if stop > start:  # a feature may have no value at all
            mode[:, j] = counts[:, start:stop].argmax(axis=1)
            missing[:, j] -= counts[:, start:stop].sum(axis=1)
    return mode, missing
