"""Fit one learner on growing prefixes of one fold, and keep what it says of the rows held out."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from collection.containers.curves import Status
from collection.own_table.learners import make_model
from collection.protocol.rows import FOLDS, Rows
from collection.running.engine import Limits
from collection.running.fitting import describe

GROWTH = 1.3  # times what the next fit is expected to take that must be left for it
LEFT_OUT = "no time was left to try it"
WORDS = {Status.error: "it cannot be trained on these rows",
         Status.memory: "it takes more memory than there is"}
EXAMPLE = pd.DataFrame({"x": np.arange(60.0), "text": [*"ab"] * 30, "y": [*"no"] * 30})
SHORT = 1.0  # seconds up to which a fit's time is mostly not its rows'


@dataclass(frozen=True)
class OwnFit:
    """One fit.

    Attributes
    ----------
    size : int
        Rows trained on.
    status : Status
    message : str
    predictions : ndarray of float32, or None
        Of the rows held out: probabilities, shape (n_tested, n_classes), or numbers, shape
        (n_tested,); None where the fit failed.
    seconds : float
        Of training and predicting.
    """

    size: int
    status: Status
    message: str = ""
    predictions: np.ndarray | None = None
    seconds: float = np.nan

    @property
    def words(self) -> str:
        """Why there are no predictions, for people: not in the words of what raised it."""
        return WORDS.get(self.status, self.message)


@dataclass(frozen=True, eq=False)
class Measurable:
    """A table as the fits take it.

    Attributes
    ----------
    features : pandas.DataFrame
        Numeric columns, or text; NaN where missing.
    rows : Rows
        Target, groups, times.
    classes : tuple of str
        What the codes of the target stand for; empty for regression.
    """

    features: pd.DataFrame
    rows: Rows
    classes: tuple[str, ...]


def fit_model(table: Measurable, learner: str, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Train on some rows and predict others.

    Returns
    -------
    ndarray of float32
        As `OwnFit.predictions`. A classifier that was shown one class says that class.
    """
    y = table.rows.target[train]
    if not table.rows.regression and len(np.unique(y)) < 2:
        return np.eye(len(table.classes), dtype=np.float32)[np.full(len(test), y[0])]
    model = make_model(learner, table.features, table.rows.regression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence and rare classes: part of what is measured
        model.fit(table.features.iloc[train], y)
        if table.rows.regression:
            return model.predict(table.features.iloc[test]).astype(np.float32)
        predictions = np.zeros((len(test), len(table.classes)), np.float32)
        predictions[:, model.classes_] = model.predict_proba(table.features.iloc[test])
    return predictions


def baseline(table: Measurable, train: np.ndarray, n_tested: int) -> np.ndarray:
    """Say the same of every row: the shares of the classes, or the mean, of the training rows."""
    y = table.rows.target[train]
    if table.rows.regression:
        return np.full(n_tested, y.mean(), np.float32)
    shares = np.bincount(y, minlength=len(table.classes)) / len(y)
    return np.tile(shares.astype(np.float32), (n_tested, 1))


@dataclass(frozen=True)
class OwnCurveJob:
    """A learner on one fold; see `collection.running.engine.Job`.

    Attributes
    ----------
    path : Path or None
        Of the pickled `Measurable`, written by the process that asks; None of a small example, as
        loads the libraries.
    learner : str
    outer, inner : int
    sizes : tuple of int
        Ascending.
    limits : Limits
        For each fit.
    seconds : float
        From its first fit on; none begins that is not expected to end within, but for two.
    """

    path: Path | None
    learner: str
    outer: int
    inner: int
    sizes: tuple[int, ...]
    limits: Limits
    seconds: float = np.inf

    @property
    def steps(self) -> int:
        """Fits of the curve."""
        return len(self.sizes)

    def load(self) -> Measurable:
        """Read the table; load the learner's library, which is no part of its first fit."""
        table = _read(self.path) if self.path else as_measurable(EXAMPLE, "y", False)
        make_model(self.learner, table.features, table.rows.regression)
        return table

    def run(self, loaded: Measurable) -> Iterator[OwnFit]:
        """Yield a fit per size."""
        yield from curve_fits(loaded, self.learner, self.outer, self.inner, self.sizes,
                              self.seconds)

    def rest(self, done: int) -> "OwnCurveJob":
        """Return the job without its first sizes."""
        return replace(self, sizes=self.sizes[done:])

    def failed(self, step: int, status: Status, message: str) -> list[OwnFit]:
        """Return the failed fit, and those of larger sizes, which would take more."""
        return [OwnFit(size, status, message) for size in self.sizes[step:]]

    def result(self, results: Sequence[OwnFit], seconds: float, worker: str) -> "OwnCurve":
        """Return the curve."""
        return OwnCurve(self.learner, self.outer, self.inner, tuple(results), seconds)

    def __str__(self) -> str:
        return f"{self.learner}, fold {self.outer + 1}"


@dataclass(frozen=True)
class OwnCurve:
    """What a job brought; `seconds` is its wall time."""

    learner: str
    outer: int
    inner: int
    fits: tuple[OwnFit, ...]
    seconds: float


def curve_fits(table: Measurable, learner: str, outer: int, inner: int, sizes: Sequence[int],
               seconds: float = np.inf) -> Iterator[OwnFit]:
    """Yield a fit for each size, ascending; what a learner raises is a status.

    Sizes between are left out where only so the largest one is expected to end in time.
    """
    split = table.rows.split(outer, inner)
    last, deadline = None, time.perf_counter() + seconds
    for k, size in enumerate(sizes):
        if k > 1 and last:
            left = deadline - time.perf_counter()
            whole, own = (GROWTH * sum(expected_seconds(last, n) for n in some)
                          for some in (sizes[k:], (size,)))
            if own > left or whole > left > GROWTH * expected_seconds(last, sizes[-1]):
                yield OwnFit(size, Status.timeout, LEFT_OUT)
                continue
        started = time.perf_counter()
        try:
            predictions = fit_model(table, learner, split.train[:size], split.test)
        except MemoryError as error:
            yield OwnFit(size, Status.memory, describe(error))
        except Exception as error:  # noqa: BLE001 - whatever a learner raises is the fit's outcome
            yield OwnFit(size, Status.error, describe(error))
        else:
            last = OwnFit(size, Status.ok, "", predictions, time.perf_counter() - started)
            yield last


def expected_seconds(last: OwnFit, size: int) -> float:
    """Return the seconds that a fit of `size` rows is expected to take after the last one."""
    return last.seconds if last.seconds < SHORT else last.seconds * size / last.size


@lru_cache(maxsize=1)
def _read(path: Path) -> Measurable:
    """Read a table that our own process wrote."""
    return pd.read_pickle(path)


def as_measurable(frame: pd.DataFrame, target: str, regression: bool,
                  groups: np.ndarray | None = None,
                  times: np.ndarray | None = None) -> Measurable:
    """Return a table as the fits take it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Every row has a target; of the other columns, what is no number becomes text.
    target : str
    regression : bool
    groups : ndarray of int, optional
    times : ndarray of float, optional
    """
    features = frame.drop(columns=target).reset_index(drop=True)
    for name in features:
        column = features[name]
        features[name] = (column.astype(float) if pd.api.types.is_numeric_dtype(column)
                          else column.astype(str).where(column.notna(), np.nan).astype(object))
    if regression:
        return Measurable(features, Rows(frame[target].to_numpy(float), True, groups, times), ())
    codes, classes = pd.factorize(frame[target].astype(str), sort=True)
    return Measurable(features, Rows(codes.astype(np.int64), False, groups, times), tuple(classes))


def held_out(table: Measurable, learner: str, size: int,
             error: Callable[[np.ndarray, np.ndarray], float]) -> tuple[float, np.ndarray]:
    """Return a learner's mean error over the first round's folds, trained on so many rows.

    And each row's loss, 1 if wrong, or its square: NaN of rows that no fold held out.
    """
    errors, target, losses = [], table.rows.target, np.full(len(table.rows.target), np.nan)
    for outer in range(FOLDS):
        split = table.rows.split(outer, 0)
        predicted = fit_model(table, learner, split.train[:size], split.test)
        errors.append(error(target[split.test], predicted))
        losses[split.test] = (predicted - target[split.test])**2 if table.rows.regression else (
            predicted.argmax(axis=1) != target[split.test])
    return float(np.nanmean(errors)), losses


@dataclass(frozen=True)
class OwnTable:
    """A table that is ready to be measured.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns that are used and the target, the rows that are used.
    target : str
        Name of the target's column.
    notes : list of str
        What was left out or looks wrong, in plain words.
    regression : bool
        Whether numbers are to be predicted.
    times, groups : ndarray or None
        By which rows are split, where asked for: days or numbers; a number for each group.
    noticed : dict of str to tuple
        ``time`` and ``group``: a column that was noticed and not asked about, and its values as in
        `times` and `groups`.
    copies : ndarray of int, or None
        The same number for rows that are copies of each other, which no split parts.
    leaking : tuple of str
        Columns that tell the target nearly by themselves.
    """

    frame: pd.DataFrame
    target: str
    notes: list[str] = field(default_factory=list)
    regression: bool = False
    times: np.ndarray | None = None
    groups: np.ndarray | None = None
    noticed: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)
    copies: np.ndarray | None = None
    leaking: tuple[str, ...] = ()

    def measurable(self, **splits: np.ndarray) -> Measurable:
        """Return it as the fits take it, split as asked for or by other ``times``, ``groups``.

        Copies of a row stay together: groups that share some are one.
        """
        asked = splits or {"times": self.times, "groups": self.groups}
        kept = [codes for codes in (asked.get("groups"), self.copies) if codes is not None]
        return as_measurable(self.frame, self.target, self.regression, joined_groups(kept),
                             asked.get("times"))


def joined_groups(parts: list[np.ndarray]) -> np.ndarray | None:
    """Return the groups of rows that any of some groupings keeps together; None of none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    first, second = parts[0], parts[0].max() + 1 + parts[1]
    n = second.max() + 1
    links = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    return connected_components(links, directed=False)[1][first]
