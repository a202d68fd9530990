"""Extrapolators that learnt from other datasets' curves: a Gaussian, boosted trees, neighbours."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from analysis.extrapolation.artefacts import (
    number,
    read,
    shipped_gaussian,
    shipped_networks,
    shipped_trees,
)
from analysis.extrapolation.features import features, unit
from analysis.extrapolation.gaussian import expect
from analysis.extrapolation.network import LEVELS, inputs
from analysis.extrapolation.seen import Forecast, Seen
from analysis.extrapolation.windows import along, from_log, past, set_scenes, to_log

NEIGHBOURS = 40
LEAST_SPREAD = 0.004  # of a forecast, in error rate


def by_fold(forecast: Callable[[Seen, np.ndarray, int], Forecast]
            ) -> Callable[[Seen, np.ndarray], Forecast]:
    """Let every curve be forecast by what was learnt without its dataset."""
    @wraps(forecast)
    def whole(seen: Seen, targets: np.ndarray) -> Forecast:
        centre, scale = np.full((2, *targets.shape), np.nan)
        for fold in np.unique(seen.fold):
            rows = np.flatnonzero(seen.fold == fold)
            centre[rows], scale[rows] = forecast(seen.take(rows), targets[rows], int(fold))
        return Forecast(centre, scale)

    return whole


@by_fold
def gaussian(seen: Seen, targets: np.ndarray, fold: int) -> Forecast:
    """Condition the Gaussian of `analysis.extrapolation.gaussian`."""
    mean, deviation = expect(shipped_gaussian(fold), seen, targets)
    centre = from_log(mean)
    return Forecast(centre, LEAST_SPREAD + (centre + 0.1) * deviation)


@by_fold
def boosted(*part: Any) -> Forecast:
    """Correct the curve's last value by boosted trees; others say how sure that is."""
    return _boosted(*part, _described(*part))


@by_fold
def network(*part: Any) -> Forecast:
    """Correct the curve's last value by networks, which give quantiles of their own."""
    return _network(*part, _described(*part))


@by_fold
def combined(seen: Seen, targets: np.ndarray, fold: int) -> Forecast:
    """Average `boosted` and `network`."""
    described = _described(seen, targets, fold)
    trees, net = (one(seen, targets, fold, described) for one in (_boosted, _network))
    return Forecast((trees.centre + net.centre) / 2, np.sqrt(trees.scale * net.scale))


def _described(seen: Seen, targets: np.ndarray, fold: int) -> np.ndarray:
    return features(seen, targets, shipped_gaussian(fold))


def _boosted(seen: Seen, targets: np.ndarray, fold: int, described: np.ndarray) -> Forecast:
    flat, per = described.reshape(-1, described.shape[2]), unit(seen)[:, None]
    moved = shipped_trees("location", fold).predict(flat).reshape(targets.shape)
    spread = np.exp(shipped_trees("spread", fold).predict(flat)).reshape(targets.shape)
    return Forecast((seen.level[:, None] + per * moved).clip(0, 1), LEAST_SPREAD + per * spread)


def _network(seen: Seen, targets: np.ndarray, fold: int, described: np.ndarray) -> Forecast:
    each = np.repeat(np.arange(len(targets)), targets.shape[1])
    scenes = set_scenes(seen, shipped_gaussian(fold).learners).take(each)
    values = inputs(described.reshape(len(each), -1), seen.take(each), scenes)
    outputs = [net.predict(values) for net in shipped_networks(fold)]
    moved = np.mean(outputs, axis=0).reshape(*targets.shape, -1)
    per = unit(seen)[:, None]
    centre = seen.level[:, None] + per * moved[..., LEVELS.index(0.5)]
    apart = np.abs(moved[..., LEVELS.index(0.9)] - moved[..., LEVELS.index(0.1)]) / 2
    return Forecast(centre.clip(0, 1), LEAST_SPREAD + per * apart)


@by_fold
def nearest(seen: Seen, targets: np.ndarray, fold: int) -> Forecast:
    """Follow the median of the curves whose last part looks most alike, whatever the learner."""
    from sklearn.neighbors import NearestNeighbors  # which takes a while to load

    stored = read("windows")
    rows = np.flatnonzero(stored["fold"] != number(fold))
    before, after = (stored[part][rows].astype(float) for part in ("past", "future"))
    index = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(alike(before))
    own = past(seen)
    found = after[index.kneighbors(alike(own), return_distance=False)]
    change = _quantiles(found, (0.25, 0.5, 0.75))
    horizon = np.log2(targets) - seen.now[:, None]
    low, middle, high = (along(np.c_[np.zeros(len(own)), part], horizon) for part in change)
    start = to_log(seen.level)[:, None]
    centre = from_log(start + middle)
    return Forecast(centre, LEAST_SPREAD + (centre + 0.1) * np.abs(high - low))


def alike(before: np.ndarray) -> np.ndarray:
    """Return what the distance between curves is taken of: their falls, and their last level.

    Where a curve does not reach back, its first known value stands in.
    """
    filled = pd.DataFrame(before).bfill(axis=1).to_numpy()
    return np.column_stack([filled[:, -1:] - filled[:, :-1], 0.5 * filled[:, -1]])


def _quantiles(found: np.ndarray, levels: tuple[float, ...]) -> np.ndarray:
    """Return quantiles over neighbours, each horizon's last known one where none reaches it."""
    some = np.isfinite(found).sum(1) >= 5
    found = np.where(some[:, None], found, 0.0)
    quantiles = np.where(some, np.nanquantile(found, levels, axis=1), np.nan)
    return np.stack([pd.DataFrame(one).ffill(axis=1) for one in quantiles])
