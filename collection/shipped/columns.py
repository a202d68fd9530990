"""The columns of the shipped files, one table for writing, reading and describing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from collection.containers.curves import LEAKAGES, METRICS, SCALINGS, SPLITS, metrics_of
from collection.containers.learner_names import LEARNERS

FITS = "fits.parquet"
LABEL = pa.dictionary(pa.int16(), pa.string())


@dataclass(frozen=True)
class Column:
    """A column of the table of fits.

    Attributes
    ----------
    name, about : str
    type : pyarrow.DataType
    unit : str
        "1" for a pure number, empty for a label.
    digits : int, optional
        Significant digits that are kept; by default all of single precision.
    parts : int
        Whole numbers of 1 / parts are stored, which takes less room; 1 but for `COLUMNS_ANEW`.
    """

    name: str
    about: str
    type: pa.DataType
    unit: str = ""
    digits: int | None = None
    parts: int = 1

    @property
    def is_label(self) -> bool:
        """Whether its values are words."""
        return pa.types.is_dictionary(self.type)

    @property
    def described(self) -> str:
        """What it holds, with its unit."""
        return self.about + (f" [{self.unit}]" if self.unit not in ("", "1") else "")


KEYS = (
    Column("dataset", "name of the dataset; the table of datasets describes it", LABEL),
    Column("learner", "name of the learner, as in the paper's Table 3", LABEL),
    Column("scaling", "feature scaling: none, minmax or standard", LABEL),
    Column("leakage", "whether the preprocessing was fitted on all data: no or yes", LABEL),
    Column("outer", "seed of the split that sets the test rows aside", pa.int8()),
    Column("inner", "seed of the split that sets the validation rows aside", pa.int8()),
    Column("anchor", "training-set size", pa.int32(), "rows"),
)
OUTCOMES = (
    Column("status", "what became of the fit: ok, timeout, memory or error", LABEL),
    Column("message", "why, where the status is not ok or a metric has no value", LABEL),
)


def _values(name: str, column: str) -> Column:
    split = column.removeprefix(name).strip("_")
    about = METRICS[name].label + (f", {split} split" if split else "")
    digits = DIGITS.get(name)
    about += f", to {digits} significant digits" if METRICS[name].of == "numbers" else ""
    return Column(column, about, pa.float32(), METRICS[name].unit, digits)


# Significant digits: of times, a repetition moves the third.
DIGITS = {"train_time": 2, "predict_time": 2, "relative_rmse": 5, "mae": 3, "r2": 3}
ERRORS = tuple(
    Column(f"errors_{split}", f"rows of the {split} split whose class is predicted wrongly; "
           "divided by the split's rows it is the error rate", pa.int32(), "rows")
    for split in SPLITS)


def _columns(kind: str, *first: Column) -> dict[str, Column]:
    values = (_values(name, column) for name in metrics_of(kind) if name != "error_rate"
              for column in METRICS[name].columns)
    return {c.name: c for c in (*KEYS, *OUTCOMES, *first, *values)}


COLUMNS = _columns("classes", *ERRORS)
COLUMNS_OF_NUMBERS = _columns("numbers")

def _anew(column: Column) -> Column:
    if not column.name.startswith(("f1", "auc", "log_loss")):
        return column
    return replace(column, type=pa.int32(), parts=10_000, about=column.about + ", times 10,000")


#: Of curves gathered anew: what the official files have but for F1 on the training rows, to the
#: four decimals that their authors gave.
COLUMNS_ANEW = {
    name: _anew(column) for name, column in COLUMNS.items()
    if not name.startswith("predict_time")
    and name not in ("f1_train", "auc_train", "log_loss_train")}

#: Of the table of datasets.
DATASET_COLUMNS = {
    "dataset": "name",
    "source": "where it was loaded from, as DATASETS= takes it",
    "licence": "as its source states it",
    "openml_id": "OpenML's number, where the rows are OpenML's in the same order",
    "rows": "rows with a label",
    "features": "columns without the target",
    "categorical": "how many of the features are categorical",
    "classes": "distinct labels; 0 where numbers are to be predicted",
    "missing_values": "cells of the features without a value",
    "train_rows": "rows of the whole training set",
    "valid_rows": "rows of a validation set",
    "test_rows": "rows of a test set",
    "curves": "curves gathered",
    "fits": "fits gathered",
    "seconds": "computing, preprocessing and measuring included [s]",
    "started": "when the first of its curves was finished (UTC)",
    "finished": "when the last was (UTC)",
    "versions": "Python and the packages that were installed",
    "platform": "what it ran on",
    "sha256": "of the rows as loaded",
}


def columns_of(fits: Path) -> dict[str, Column]:
    """Return the columns of a shipped table of fits, by what has to be predicted."""
    there = parquet.read_schema(fits).names
    if ERRORS[0].name not in there:
        return COLUMNS_OF_NUMBERS
    return COLUMNS if "f1_train" in there else COLUMNS_ANEW


def label_orders(datasets: Iterable[str], learners: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return the order of the labels of a database along each of the dims that has words.

    Parameters
    ----------
    datasets : iterable of str
        As the table of datasets has them.
    learners : iterable of str
        Names; those of the paper come first, in its order.
    """
    others = sorted(set(learners) - set(LEARNERS))
    return {"dataset": list(datasets), "learner": [*LEARNERS, *others], "scaling": SCALINGS,
            "leakage": LEAKAGES}
