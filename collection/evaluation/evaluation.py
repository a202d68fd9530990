"""What became of one evaluation, and what was predicted in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from collection.container import SPLITS, Status

NONE = (np.nan,) * len(SPLITS)
KINDS = ("probability", "score", "label", "value")


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a learner says of some rows.

    Attributes
    ----------
    kind : {"probability", "score", "label", "value"}
        Class probabilities; decision scores, where it has none; votes (1 for the class that is
        predicted, or the share of bags that do), where it has neither; numbers, for regression.
    values : ndarray, shape (n_rows, n_classes), or (n_rows,) for regression
    labels : ndarray of int, shape (n_rows,), optional
        Classes predicted; None for regression.
    """

    kind: str
    values: np.ndarray
    labels: np.ndarray | None = None

    @property
    def stored(self) -> np.ndarray:
        """The values to keep: of two classes the second's, of more all, for regression as is."""
        two = self.values.ndim == 2 and self.values.shape[1] == 2
        return self.values[:, 1] if two else self.values


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What became of a learner on a task's fold; tuples are of train, valid, test.

    Attributes
    ----------
    status : Status
    message : str
        Why, where the status is not ok, or why a metric has no value; else empty.
    measures : mapping of str to tuple of float
        By names of `collection.evaluation.container.MEASURES`; what is absent is NaN.
    train_time : float
        Seconds to fit, the bags' together; preprocessing is not counted.
    predict_time : tuple of float
        Seconds to predict, the bags' together.
    chosen : tuple of mapping
        The hyperparameters that the learner's own tuning chose, per fit; empty without tuning.
    predictions : mapping of "valid" and "test" to Predictions, optional
        In the order of the fold's training rows (out of fold) and test rows.
    """

    status: Status
    message: str = ""
    measures: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    train_time: float = np.nan
    predict_time: tuple[float, ...] = NONE
    chosen: tuple[Mapping[str, object], ...] = ()
    predictions: Mapping[str, Predictions] | None = None
