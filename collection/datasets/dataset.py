"""The form that every dataset takes, whatever it was loaded from, and the checks on the way in."""

import hashlib
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

NOT_STATED = "not stated"
UNORDERED = "unordered:"  # what a fingerprint begins with that minds no order of rows
DIGITS = 12  # that such a fingerprint looks at: readers of text differ in the last bit


class DatasetError(ValueError):
    """A dataset that cannot be had or cannot be used; the message says why and what to do."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A dataset: features of known kinds and one class label, or one number to predict, per row.

    Attributes
    ----------
    name : str
        Short name, such as ``vehicle``.
    features : pandas.DataFrame, shape (n_rows, n_columns)
        Without the target, indexed 0 to n_rows − 1, in the source's order of rows and columns.
        A numeric column is float64; a categorical one has pandas' ``category`` dtype, unordered,
        its categories the values that occur, as strings, in sorted order. NaN is missing.
    target : ndarray of str, or of float, shape (n_rows,)
        Class label of each row, or the number to predict (regression); none is missing. Read-only.
    source : str
        The spec it was loaded by, such as ``keel:vehicle``.
    licence : str
        As the source states it; ``not stated`` where it does not.
    openml_id : int, optional
        Where OpenML has the same rows in the same order.
    unlabelled_rows : int
        Rows that the source has and `features` has not, because their label is missing.
    target_name : str
        Name of the target's column.
    """

    name: str
    features: pd.DataFrame
    target: np.ndarray
    source: str
    licence: str
    openml_id: int | None = None
    unlabelled_rows: int = 0
    target_name: str = ""

    @property
    def classes(self) -> np.ndarray:
        """Distinct labels in sorted order (as strings: "10" before "2"); none for regression."""
        return np.unique(self.target[:0] if self.is_regression else self.target)

    @property
    def is_regression(self) -> bool:
        """Whether numbers are to be predicted rather than classes."""
        return self.target.dtype.kind == "f"

    @property
    def problem(self) -> str:
        """``binary`` (two classes), ``multiclass`` or ``regression``."""
        if self.is_regression:
            return "regression"
        return "binary" if len(self.classes) == 2 else "multiclass"

    @property
    def n_rows(self) -> int:
        """Rows with a label."""
        return len(self.target)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the values of all features and of the target, in their order (hexadecimal)."""
        table = self.features.reset_index(drop=True).assign(**{"the target": self.target})
        rows = pd.util.hash_pandas_object(table).to_numpy()
        return hashlib.sha256(rows.tobytes()).hexdigest()

    @cached_property
    def unordered_fingerprint(self) -> str:
        """The same of the rows in whatever order, to 12 digits, classes by their position.

        For files that differ in the order of rows, in the names of classes or in a last bit.
        """
        target = (self.target if self.is_regression
                  else np.unique(self.target, return_inverse=True)[1].astype(float))
        table = self.features.reset_index(drop=True).assign(**{"the target": target})
        table = table.apply(lambda c: _to_digits(c.to_numpy()) if c.dtype == np.float64 else c)
        rows = np.sort(pd.util.hash_pandas_object(table, index=False).to_numpy())
        return UNORDERED + hashlib.sha256(rows.tobytes()).hexdigest()

    def fingerprint_as(self, stated: str) -> str:
        """Return its fingerprint of the kind of `stated`: the same where it is that dataset."""
        return self.unordered_fingerprint if stated.startswith(UNORDERED) else self.fingerprint

    @property
    def facts(self) -> dict[str, object]:
        """What stores keep of it beside its name, by the columns of their tables."""
        return {
            "openml_id": self.openml_id, "source": self.source, "licence": self.licence,
            "rows": self.n_rows, "features": self.features.shape[1],
            "categorical": len(self.categorical), "classes": len(self.classes),
            "missing_values": self.n_missing, "fingerprint": self.fingerprint}

    @property
    def n_missing(self) -> int:
        """Cells of `features` without a value."""
        return int(self.features.isna().to_numpy().sum())

    @property
    def numeric(self) -> list[str]:
        """Names of the numeric columns."""
        return [c for c in self.features if self.features[c].dtype == np.float64]

    @property
    def categorical(self) -> list[str]:
        """Names of the categorical columns."""
        return [c for c in self.features if self.features[c].dtype == "category"]


def make_dataset(frame: pd.DataFrame, target: str, *, name: str, source: str,
                 licence: str = NOT_STATED, categorical: Collection[str] | None = None,
                 openml_id: int | None = None, regression: bool = False) -> Dataset:
    """Bring a table with its target column into the form of `Dataset`, or say why it cannot be.

    Rows without a label are left out, with a warning that counts them: they can be neither
    learned from nor scored. Columns without a single value are left out too, as scikit-learn's
    imputer would do in every fit. Constant columns stay.

    Parameters
    ----------
    frame : pandas.DataFrame
        All columns, the target among them; NaN or None is missing.
    target : str
        Name of the column with the class labels.
    name, source, licence, openml_id
        See `Dataset`.
    categorical : collection of str, optional
        Names of the categorical columns, where the source declares them; by default every column
        that does not hold numbers.
    regression : bool
        Whether the target holds numbers to predict rather than class labels.

    Raises
    ------
    DatasetError
        No row has a label, there is one class (or number) only, no feature has a value, or a
        feature or target that should be numeric is not, or is infinite.
    """
    labelled = frame[target].notna()
    rows = frame[labelled].reset_index(drop=True)
    labels = rows.pop(target)
    labels = (_typed(labels, False, source) if regression
              else labels.astype(object).map(str).to_numpy(dtype=str))
    _check_labels(labels, source, target)
    rows = rows.dropna(axis="columns", how="all")
    if categorical is None:
        categorical = (c for c in rows if not _holds_numbers(rows[c]))
    kinds = set(categorical)
    features = pd.DataFrame({str(c): _typed(rows[c], c in kinds, source) for c in rows},
                            index=rows.index)
    if features.shape[1] == 0:
        raise DatasetError(f"{source} has no feature with a value in it beside its target "
                           f"{target!r}.")
    if n_unlabelled := int((~labelled).sum()):
        warnings.warn(f"{source}: {n_unlabelled} of {len(frame)} rows have no label in {target!r} "
                      "and are left out.", stacklevel=2)
    labels.flags.writeable = False
    return Dataset(name, features, labels, source, licence, openml_id,
                   unlabelled_rows=n_unlabelled, target_name=str(target))


def sorted_rows(frame: pd.DataFrame, target: str) -> np.ndarray:
    """Return the positions of a table's rows in ascending order of its values.

    Parameters
    ----------
    frame : pandas.DataFrame
        Numbers to 12 digits, the first column counting most, gaps last; equal rows may come in
        any order.
    target : str
        Column that counts least, by the rank of its values as text.
    """
    labels = pd.factorize(frame[target].astype(str), sort=True)[0]
    columns = [_to_digits(frame[c].to_numpy(float)) for c in frame if c != target]
    return np.lexsort([labels, *columns[::-1]])


def _to_digits(values: np.ndarray) -> np.ndarray:
    """Round to `DIGITS` significant digits; negative zero becomes zero."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in values]) + 0.0


def _check_labels(labels: np.ndarray, source: str, target: str) -> None:
    classes = np.unique(labels)
    if len(classes) == 0:
        raise DatasetError(f"{source}: no row has a label in its target column {target!r}.")
    if len(classes) == 1 and labels.dtype.kind == "f":
        raise DatasetError(f"{source}: the target {target!r} is {classes[0]:g} in every row; there "
                           "is nothing to predict.")
    if len(classes) == 1:
        raise DatasetError(f"{source}: the target {target!r} has one class only, "
                           f"{str(classes[0])!r}; a classifier needs two or more.")


def _holds_numbers(column: pd.Series) -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _typed(column: pd.Series, categorical: bool, source: str) -> pd.Categorical | np.ndarray:
    """Return the values of `column` as categories or float64."""
    if categorical:
        text = column.astype(object).map(str, na_action="ignore")
        return pd.Categorical.from_codes(*pd.factorize(text, sort=True))  # missing: code −1
    try:
        numbers = pd.to_numeric(column).to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise DatasetError(f"{source}: column {column.name!r} is declared numeric, but: "
                           f"{error}.") from error
    if np.isinf(numbers).any():
        raise DatasetError(f"{source}: column {column.name!r} holds infinite values, which no "
                           "learner takes. Replace them or leave the column out.")
    return numbers
