"""A dataset as numbers, made once: numeric features, category codes, class codes."""

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
