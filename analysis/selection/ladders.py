"""A database's curves compressed to the anchors each dataset has, by one of two procedures."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from analysis.databases.load import one_setting
from collection.containers.curves import main_metric
from collection.project.naming import check_known
from collection.protocol.anchors import check_anchors

#: How missing values are handled and what the choice is judged by. ``published`` is what the
#: published notebook does: a validation error counts only where no inner seed is missing; every
#: ladder ends before the first missing value of any learner of the group that has one at the first
#: rung (a learner without one gets error 2 where missing); of a contest that runs out of rungs the
#: first remaining learner, in the group's order, is chosen. Although Section 5.5 judges on the test
#: set, that notebook takes regret and rank from the validation curves it selects on. ``corrected``:
#: errors are means over the seeds there are; a missing value loses to any value, and the ladder has
#: every anchor at which any learner of the group has one; the top rung decides; test errors judge.
PROCEDURES = ("published", "corrected")


@dataclass(frozen=True)
class Ladders:
    """The curves of a database on ladders of anchors.

    A context is a dataset and an outer seed; its rungs are the anchors at which any learner has
    a value, ascending. Arrays are padded with NaN beyond a ladder's end.

    Attributes
    ----------
    database : str
    procedure : str
        Of `PROCEDURES`.
    dataset, outer : ndarray, shape (context,)
    learners : tuple of str
    rows : ndarray, shape (context, rung)
        Training-set sizes.
    valid, spread, judged : ndarray, shape (context, learner, rung)
        Mean validation error over the inner seeds, its standard error, and the mean error on
        the split that judges.
    seconds : ndarray, shape (context, learner, rung)
        CPU time on record for the fits of all inner seeds; NaN where none is.
    inner : int
        Fits that one evaluation takes: a model per inner seed.
    """

    database: str
    procedure: str
    dataset: np.ndarray
    outer: np.ndarray
    learners: tuple[str, ...]
    rows: np.ndarray
    valid: np.ndarray
    spread: np.ndarray
    judged: np.ndarray
    seconds: np.ndarray
    inner: int


def build_ladders(curves: xr.Dataset, procedure: str = "corrected") -> Ladders:
    """Compress a database to ladders, once for all groups and strategies.

    Parameters
    ----------
    curves : xarray.Dataset
        A container with ``error_rate`` or ``relative_rmse`` and, for costs, ``train_time``;
        scaling and leakage settled.
    procedure : str
        A name in `PROCEDURES`.

    Returns
    -------
    Ladders
        Contexts in the order (dataset, outer); those without any value are left out.

    Raises
    ------
    UnknownNameError
        If there is no such procedure.
    ValueError
        If scaling or leakage still has several labels, no curve has a value, one is infinite, or
        the anchors do not ascend.
    TypeError
        If the anchors are no numbers.
    """
    check_known("procedure", [procedure], PROCEDURES)
    published = procedure == "published"
    judge = "valid" if published else "test"
    curves = one_setting(curves)
    check_anchors(curves["anchor"].values)
    errors = curves[main_metric(curves)]
    if np.isinf(errors.sel(split=["valid", judge])).any():
        raise ValueError("An error is infinite. What a fit could not give is NaN; look for a "
                         "division by zero upstream.")
    valid = _by_context(errors.sel(split="valid"))
    climb = find_rungs((~np.isnan(valid)).any(axis=(1, 2)))
    mean, spread = _mean_and_error(climb(valid), published)
    judged = climb(_by_context(errors.sel(split=judge)))
    seconds = mean * np.nan
    if "train_time" in curves:
        times = climb(_by_context(curves["train_time"]))
        seconds = np.where(np.isnan(times).all(axis=2), np.nan, np.nansum(times, axis=2))
    dataset, outer = (held.ravel()[climb.held] for held in np.meshgrid(
        curves["dataset"], curves["outer"], indexing="ij"))
    anchors = np.broadcast_to(curves["anchor"].values, (len(valid), curves.sizes["anchor"]))
    return Ladders(
        database=str(curves.attrs.get("database", "")), procedure=procedure,
        dataset=dataset, outer=outer, learners=tuple(curves["learner"].values.tolist()),
        rows=climb(anchors), valid=mean, spread=spread,
        judged=_mean_and_error(judged, published)[0],
        seconds=seconds, inner=curves.sizes["inner"],
    )


@dataclass(frozen=True)
class Climb:
    """Takes the rungs out of arrays whose first axis is the context and whose last the anchor.

    Attributes
    ----------
    held : ndarray of int, shape (held context,)
        The contexts with at least one rung; the others are left out.
    anchor : ndarray of int, shape (held context, rung)
        Position of each rung, arbitrary beyond the ladder's end.
    length : ndarray of int, shape (held context,)
        Number of rungs.
    """

    held: np.ndarray
    anchor: np.ndarray
    length: np.ndarray

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Return the rungs along the last axis, NaN beyond a ladder's end."""
        shape = (len(self.held), *[1] * (values.ndim - 2), -1)
        inside = (np.arange(self.anchor.shape[1]) < self.length[:, None]).reshape(shape)
        rungs = np.take_along_axis(values[self.held], self.anchor.reshape(shape), axis=-1)
        return np.where(inside, rungs, np.nan)


def find_rungs(present: np.ndarray) -> Climb:
    """Make ladders of the anchors that are present, a mask of shape (context, anchor).

    Raises
    ------
    ValueError
        If none is.
    """
    if not present.any():
        raise ValueError("No curve has a value: there is nothing to choose from.")
    held = np.flatnonzero(present.any(axis=1))
    length = present[held].sum(axis=1)
    anchor = np.argsort(~present[held], axis=1, kind="stable")[:, : length.max()]
    return Climb(held, anchor, length)


def _by_context(values: xr.DataArray) -> np.ndarray:
    """Return shape (context, learner, inner, anchor)."""
    values = values.transpose("dataset", "outer", "learner", "inner", "anchor").values
    return values.reshape(-1, *values.shape[2:])


def _mean_and_error(values: np.ndarray, complete: bool) -> tuple[np.ndarray, np.ndarray]:
    """Average over the inner seeds; the standard error is 0 where there is but one."""
    present = ~np.isnan(values)
    count = present.sum(axis=2)
    some = np.maximum(count, 1)
    mean = np.where(present, values, 0).sum(axis=2) / some
    squares = np.where(present, values - mean[:, :, None], 0) ** 2
    error = np.sqrt(squares.sum(axis=2) / np.maximum(count - 1, 1) / some)
    known = count == values.shape[2] if complete else count > 0
    return np.where(known, mean, np.nan), np.where(known, error, np.nan)
