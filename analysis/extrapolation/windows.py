"""Windows on curves: values at fixed distances, in doublings, before and after the last size seen.

On this common grid the curves of all databases look alike, whatever anchors they were measured at.
Beside a curve stand those of other learners on its dataset, up to its last size: its scene.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.extrapolation.seen import Seen

PAST = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0)
FUTURE = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
OFFSET = 0.1  # added before the logarithm, so that small errors do not rule
SLACK = 1e-9


def to_log(error: np.ndarray) -> np.ndarray:
    """Return the scale on which curves are averaged: log(error + 0.1)."""
    return np.log(error + OFFSET)


def from_log(value: np.ndarray) -> np.ndarray:
    """Return the error rate of a value of `to_log`, in [0, 1]."""
    return np.clip(np.exp(value) - OFFSET, 0, 1)


def interpolate(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Interpolate curves with gaps linearly, each at its own places.

    Parameters
    ----------
    x : ndarray, shape (n_anchors,)
        Ascending.
    y : ndarray, shape (n_curves, n_anchors)
        NaN where there is no value.
    at : ndarray, shape (n_curves, n_places)

    Returns
    -------
    ndarray, shape (n_curves, n_places)
        NaN outside a curve's first and last value.
    """
    n, anchors = y.shape
    there = np.isfinite(y)
    before = np.maximum.accumulate(np.where(there, np.arange(anchors), -1), axis=1)
    after = np.minimum.accumulate(
        np.where(there, np.arange(anchors), anchors)[:, ::-1], axis=1)[:, ::-1]
    low = np.searchsorted(x, at + SLACK, side="right") - 1
    high = np.searchsorted(x, at - SLACK, side="left")
    row = np.arange(n)[:, None]
    left = np.where(low >= 0, before[row, low.clip(0)], -1)
    right = np.where(high < anchors, after[row, high.clip(max=anchors - 1)], anchors)
    outside = (left < 0) | (right >= anchors)
    left, right = left.clip(0, anchors - 1), right.clip(0, anchors - 1)
    gap = x[right] - x[left]
    way = np.divide(at - x[left], gap, out=np.zeros(at.shape), where=gap > 0)
    value = y[row, left] + way * (y[row, right] - y[row, left])
    return np.where(outside, np.nan, value)


def past(seen: Seen, now: np.ndarray | None = None, lags: tuple = PAST) -> np.ndarray:
    """Return the logarithmic errors at the lags before `now`, shape (n_curves, n_lags).

    Parameters
    ----------
    seen : Seen
    now : ndarray, shape (n_curves,)
        Binary logarithm of a size; by default each curve's last one.
    lags : tuple of float
        In doublings, at most 0.
    """
    now = seen.now if now is None else now
    return interpolate(seen.log_sizes, to_log(seen.values), now[:, None] + np.array(lags))


def along(future: np.ndarray, horizon: np.ndarray) -> np.ndarray:
    """Interpolate values at horizons 0 and `FUTURE`; beyond the last, go on at its slope.

    Parameters
    ----------
    future : ndarray, shape (n_curves, 1 + len(FUTURE))
    horizon : ndarray, shape (n_curves, n_targets)
        In doublings from the last size seen.
    """
    grid = np.array([0.0, *FUTURE])
    at = np.clip(np.searchsorted(grid, horizon, side="right") - 1, 0, len(grid) - 2)
    way = (horizon - grid[at]) / (grid[at + 1] - grid[at])
    low, high = (np.take_along_axis(future, at + k, axis=1) for k in (0, 1))
    return low + way * (high - low)


class Scenes(NamedTuple):
    """The curves of one dataset, as far as one of them is seen.

    Attributes
    ----------
    past : ndarray, shape (n_scenes, n_learners, n_lags)
        Logarithmic errors at the lags `PAST`; NaN where not seen.
    scene, slot : ndarray of int, shape (n_curves,)
        Where each curve stands; the slot is -1 for a learner that is not known, which has no scene
        to itself.
    """

    past: np.ndarray
    scene: np.ndarray
    slot: np.ndarray


def set_scenes(seen: Seen, learners: tuple[str, ...]) -> Scenes:
    """Gather, for every dataset and last size of a curve on it, what is seen of each learner.

    Parameters
    ----------
    seen : Seen
    learners : tuple of str
        The learners that have a slot.
    """
    slot = pd.Index(learners).get_indexer(seen.learner)
    keys = np.column_stack([seen.dataset, np.round(1024 * seen.now)]).astype(int)
    distinct, scene = np.unique(keys, axis=0, return_inverse=True)
    scene = scene.reshape(-1)
    own = np.flatnonzero(slot >= 0)
    pairs = pd.DataFrame({"dataset": seen.dataset[own], "curve": own}).merge(
        pd.DataFrame({"dataset": distinct[:, 0], "scene": np.arange(len(distinct))}))
    curve, at = pairs["curve"].to_numpy(), pairs["scene"].to_numpy()
    values = np.full((len(distinct), len(learners), len(PAST)), np.nan)
    if len(curve):
        values[at, slot[curve]] = past(seen.take(curve), distinct[at, 1] / 1024)
    values[scene[own], slot[own]] = past(seen.take(own))
    return Scenes(values, scene, slot)
