"""The columns of the shipped files, one table for writing and reading."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from collection.containers.curves import FIT_DIMS, LEAKAGES, METRICS, SCALINGS, SPLITS, metrics_of
from collection.containers.learner_names import LEARNERS

FITS = "fits.parquet"
LABEL = pa.dictionary(pa.int16(), pa.string())


@dataclass(frozen=True)
class Column:
    """A column of the table of fits.

    Attributes
    ----------
    name : str
    type : pyarrow.DataType
    digits : int, optional
        Significant digits that are kept; by default all of single precision.
    parts : int
        Whole numbers of 1 / parts are stored, which takes less room; 1 but for `COLUMNS_ANEW`.
    """

    name: str
    type: pa.DataType
    digits: int | None = None
    parts: int = 1

    @property
    def is_label(self) -> bool:
        """Whether its values are words."""
        return pa.types.is_dictionary(self.type)


#: Of a fit: what it is of, as the container has it, what became of it, and why (where the status
#: is not ok or a metric has no value).
LABELS = ("dataset", "learner", "scaling", "leakage", "status", "message")
WHOLE_NUMBERS = {"outer": pa.int8(), "inner": pa.int8(), "anchor": pa.int32()}
#: Significant digits: of times, a repetition moves the third.
DIGITS = {"train_time": 2, "predict_time": 2, "relative_rmse": 5, "mae": 3, "r2": 3}
#: Rows of each split whose class is predicted wrongly; divided by the split's rows they are the
#: error rate.
ERRORS = tuple(Column(f"errors_{split}", pa.int32()) for split in SPLITS)


def _columns(kind: str, *first: Column) -> dict[str, Column]:
    keys = [Column(name, WHOLE_NUMBERS.get(name, LABEL)) for name in (*FIT_DIMS, *LABELS[4:])]
    values = (Column(column, pa.float32(), DIGITS.get(name))
              for name in metrics_of(kind) if name != "error_rate"
              for column in METRICS[name].columns)
    return {c.name: c for c in (*keys, *first, *values)}


COLUMNS = _columns("classes", *ERRORS)
COLUMNS_OF_NUMBERS = _columns("numbers")


def _anew(column: Column) -> Column:
    if not column.name.startswith(("f1", "auc", "log_loss")):
        return column
    return replace(column, type=pa.int32(), parts=10_000)


#: Of curves gathered anew: what the official files have but for F1 on the training rows, to the
#: four decimals that their authors gave.
COLUMNS_ANEW = {
    name: _anew(column) for name, column in COLUMNS.items()
    if not name.startswith("predict_time")
    and name not in ("f1_train", "auc_train", "log_loss_train")}

#: Of the table of datasets. ``source`` is as DATASETS= takes it, ``licence`` as the source states
#: it; ``openml_id`` stands where the rows are OpenML's in the same order; ``rows`` have a label;
#: ``features`` are without the target; ``classes`` is 0 where numbers are to be predicted;
#: ``missing_values`` are cells of the features; then the rows of whole training, validation and
#: test sets; ``seconds`` of computing, preprocessing and measuring included; ``started`` and
#: ``finished`` (UTC): when the first and the last of its curves were; ``versions`` of Python and
#: the packages; ``sha256`` of the rows as loaded.
DATASET_COLUMNS = (
    "dataset", "source", "licence", "openml_id", "rows", "features", "categorical", "classes",
    "missing_values", "train_rows", "valid_rows", "test_rows", "curves", "fits", "seconds",
    "started", "finished", "versions", "platform", "sha256")


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
