"""The columns of the shipped files: one table that writing, reading and describing share."""

from dataclasses import dataclass

import pyarrow as pa

from collection.container import METRICS, SPLITS
from collection.store.schema import metric_columns

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
    """

    name: str
    about: str
    type: pa.DataType
    unit: str = ""
    digits: int | None = None

    @property
    def is_label(self) -> bool:
        """Whether its values are words."""
        return pa.types.is_dictionary(self.type)


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


def _errors(split: str) -> Column:
    return Column(f"errors_{split}", f"rows of the {split} split whose class is predicted wrongly; "
                  "divided by the split's rows it is the error rate", pa.int32(), "rows")


def _values(name: str, column: str) -> Column:
    split = column.removeprefix(name).strip("_")
    about = METRICS[name].label + (f", {split} split" if split else "")
    digits = 2 if METRICS[name].unit == "s" else None  # a repetition moves the third
    return Column(column, about, pa.float32(), METRICS[name].unit, digits)


ERRORS = tuple(_errors(split) for split in SPLITS)
VALUES = tuple(_values(name, column) for name in METRICS if name != "error_rate"
               for column in metric_columns(name))
COLUMNS = {c.name: c for c in (*KEYS, *OUTCOMES, *ERRORS, *VALUES)}

#: Of the table of datasets.
DATASET_COLUMNS = {
    "dataset": "name",
    "source": "where it was loaded from, as DATASETS= takes it",
    "licence": "as its source states it",
    "openml_id": "OpenML's number, where the rows are OpenML's in the same order",
    "rows": "rows with a label",
    "features": "columns without the target",
    "categorical": "how many of the features are categorical",
    "classes": "distinct labels",
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
