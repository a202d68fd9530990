"""What an extrapolator sees: the first part of curves, in plain arrays; folds of datasets; windows.

Windows are values at fixed distances, in doublings, before and after the last size seen. On this
common grid the curves of all databases look alike, whatever anchors they were measured at. Beside a
curve stand those of other learners on its dataset, up to its last size: its scene.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from analysis.fitting.curves import flatten_curves
from analysis.statistics.families import families, family_of
from analysis.statistics.summary import standard_error
from collection.project.paths import DATA, shipped
from collection.reading.directions import as_errors

FOLDER = DATA / "extrapolation"
FOLDS = 5
UNSEEN = -1  # the fold of a dataset that took no part in training
#: By default: the median, and the ends of the 50, 80 and 90 % intervals.
LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@lru_cache(maxsize=1)
def training_datasets() -> pd.DataFrame:
    """Return what the shipped extrapolators learnt from.

    One that learnt from the curves of a dataset is not to be judged on its near-duplicates.

    Returns
    -------
    pandas.DataFrame
        Index the OpenML ids as text; ``name``; ``family``, by today's registry of near-duplicates;
        ``fold``, as it was when they were trained. Empty where nothing is shipped.
    """
    path = shipped(FOLDER / "datasets.csv")
    if not path.exists():
        return pd.DataFrame(columns=["name", "family", "fold"])
    table = pd.read_csv(path, dtype={"dataset": str}, index_col="dataset")
    return table.assign(family=families(table.index))


def fold_of(dataset: object) -> int:
    """Return the fold that a dataset, or a near-duplicate of it, was in; `UNSEEN` if in none.

    Parameters
    ----------
    dataset : int or str
        As in `analysis.statistics.families.family_of`.
    """
    table = training_datasets()
    if str(dataset) in table.index:
        return int(table.at[str(dataset), "fold"])
    known = table.drop_duplicates("family").set_index("family")["fold"]
    return int(known.get(family_of(dataset), UNSEEN))


REPEATS = ("outer", "inner", "repeat")
LEAST_SIZES = 2


@dataclass(frozen=True)
class Seen:
    """Curves, each cut at some training-set size.

    Attributes
    ----------
    sizes : ndarray, shape (n_anchors,)
        Training-set sizes in rows, ascending.
    values : ndarray, shape (n_curves, n_anchors)
        Mean error rates; NaN where a curve is not seen.
    noise : ndarray, shape (n_curves, n_anchors)
        Standard errors of these means; NaN where there are no repeats.
    learner : ndarray of str, shape (n_curves,)
        Names; empty where unknown.
    dataset : ndarray of int, shape (n_curves,)
        Curves with the same number are on the same dataset and inform each other.
    fold : ndarray of int, shape (n_curves,)
        The fold of the training data that a curve's dataset was in, whose model has not seen it;
        -1 where it took no part.
    """

    sizes: np.ndarray
    values: np.ndarray
    noise: np.ndarray
    learner: np.ndarray
    dataset: np.ndarray
    fold: np.ndarray

    @cached_property
    def log_sizes(self) -> np.ndarray:
        """Binary logarithms of the sizes."""
        return np.log2(self.sizes)

    @cached_property
    def exists(self) -> np.ndarray:
        """Where curves are seen, shape (n_curves, n_anchors)."""
        return np.isfinite(self.values)

    @cached_property
    def last(self) -> np.ndarray:
        """Position of each curve's last seen size, shape (n_curves,)."""
        return len(self.sizes) - 1 - self.exists[:, ::-1].argmax(axis=1)

    @cached_property
    def now(self) -> np.ndarray:
        """Binary logarithm of the last seen size, shape (n_curves,)."""
        return self.log_sizes[self.last]

    @cached_property
    def level(self) -> np.ndarray:
        """Error rate at the last seen size, shape (n_curves,)."""
        return self.values[np.arange(len(self.values)), self.last]

    def take(self, rows: np.ndarray) -> "Seen":
        """Return some of the curves."""
        own = ("values", "noise", "learner", "dataset", "fold")
        return replace(self, **{name: getattr(self, name)[rows] for name in own})


def see_curves(curves: xr.DataArray) -> tuple[Seen, xr.DataArray]:
    """Take the labels off curves.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates, NaN where not measured. Dims of `REPEATS` are averaged; dims or coordinates
        ``learner`` and ``dataset`` are used where they are there. Without a dim ``dataset`` all
        curves are on the same one, and if there is ``outer`` or ``inner`` they are averaged.

    Returns
    -------
    seen : Seen
        Every element of the remaining dims, in their order.
    template : DataArray, dims (...)
        The remaining dims, with their labels.

    Raises
    ------
    ValueError
        Where an error is outside [0, 1], a curve has fewer than two sizes, or `curves` is
        not as `analysis.fit_curves` wants it.
    """
    curves = as_errors(curves)
    mean = curves.mean([d for d in REPEATS if d in curves.dims])
    sizes, values = flatten_curves(mean)
    _check(values, str(curves.name or "error rate").replace("_", " "))
    noise = flatten_curves(standard_error(curves))[1]
    template = mean.isel(anchor=0, drop=True).transpose(*(d for d in mean.dims if d != "anchor"))
    learner, dataset = (_labels(template, name) for name in ("learner", "dataset"))
    fold = np.array([fold_of(d) for d in dataset], int)
    if "name" in template.coords:
        named = np.array([fold_of(d) for d in _labels(template, "name")], int)
        fold = np.where(fold < 0, named, fold)
    number = np.unique(dataset, return_inverse=True)[1].reshape(-1)
    return Seen(sizes, values, noise, learner, number, fold), template


def _labels(template: xr.DataArray, name: str) -> np.ndarray:
    """Return a coordinate's label of every curve as text; empty where there is none."""
    if name not in template.coords:
        return np.full(template.size, "", object)
    labels = template[name].broadcast_like(template).transpose(*template.dims)
    return labels.values.reshape(-1).astype(str).astype(object)


def _check(values: np.ndarray, name: str) -> None:
    if (np.nan_to_num(values) < 0).any() or (np.nan_to_num(values) > 1).any():
        raise ValueError(f"A value of {name} lies outside 0 to 1; give errors as shares, not "
                         "percentages, scores or losses without an upper end.")
    few = np.flatnonzero((np.isfinite(values).sum(1) > 0)
                         & (np.isfinite(values).sum(1) < LEAST_SIZES))
    if len(few):
        raise ValueError(f"{len(few)} curves, first number {few[0]}, are known at one "
                         f"training-set size only; to extrapolate takes at least {LEAST_SIZES}.")


def as_quantiles(found: np.ndarray, template: xr.DataArray, sizes: np.ndarray,
                 levels: Sequence[float]) -> xr.DataArray:
    """Return quantiles, shape (n_curves, n_sizes, n_levels), with the labels of `see_curves`."""
    return xr.DataArray(
        found.reshape(*template.shape, len(sizes), len(levels)),
        {**template.coords, "size": sizes, "quantile": list(levels)},
        (*template.dims, "size", "quantile"), template.name)


class Forecast(NamedTuple):
    """Where an extrapolator expects curves to be, before its intervals are calibrated.

    Attributes
    ----------
    centre, scale : ndarray, shape (n_curves, n_targets)
        In error rate: the expected value, and how far off it may be, up to a factor that the
        calibration finds; NaN where there is no forecast.
    """

    centre: np.ndarray
    scale: np.ndarray


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
