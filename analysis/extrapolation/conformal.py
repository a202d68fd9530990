"""Intervals whose coverage holds on other datasets: a conformal predictive system per extrapolator.

How far off an extrapolator was on curves of datasets that it did not know, counted in its own
scale, says how far off it will be. Groups of similar horizon and similar scale are calibrated
separately (Mondrian), and a curve of a training dataset by the residuals of the other folds.

Nobody knows beforehand that a curve will dip or peak. Calibrated to 90 % of all curves, intervals
would hold for barely two in three of the dipping ones. So residuals of curves that turned out
ill-behaved count `ILL_WEIGHT` times for what lies outside the quartiles: the 80 and 90 % intervals
cover a little more than they promise overall, and miss less often where curves misbehave.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from analysis.extrapolation.artefacts import NotTrainedError, read
from analysis.extrapolation.seen import Forecast, Seen

HORIZONS = (1.0, 2.0, 3.0, 4.5)  # doublings at which a new group begins
SCALES = (1 / 3, 2 / 3)  # quantiles of the scale at which one does
ILL_WEIGHT = 8  # how often the residuals of ill-behaved curves count outside …
INNER = (0.25, 0.75)  # … these levels


class Calibration(NamedTuple):
    """What turns forecasts into quantiles.

    Attributes
    ----------
    edges : ndarray, shape (len(HORIZONS) + 1, len(SCALES))
        Scales at which the next group begins, per group of horizons.
    table : ndarray, shape (n_groups, n_levels)
        Quantiles of the residuals, in scales.
    """

    edges: np.ndarray
    table: np.ndarray


def groups(horizon: np.ndarray, scale: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the group of each forecast: its horizon's, and within that its scale's."""
    far = np.searchsorted(HORIZONS, horizon, side="left")
    wide = (scale[..., None] > edges[far]).sum(-1)
    return far * (len(SCALES) + 1) + wide


def calibrate(residual: np.ndarray, scale: np.ndarray, horizon: np.ndarray,
              levels: tuple[float, ...], ill: np.ndarray | None = None) -> Calibration:
    """Find the quantiles of residuals.

    Parameters
    ----------
    residual, scale, horizon : ndarray, shape (n,)
        Truth minus centre in error rate, the forecast's scale, and doublings ahead.
    levels : tuple of float
        Between 0 and 1, ascending.
    ill : ndarray of bool, shape (n,), optional
        Residuals that count `ILL_WEIGHT` times for the levels outside `INNER`.
    """
    far = np.searchsorted(HORIZONS, horizon, side="left")
    edges = np.stack([np.quantile(scale[far == k], SCALES) for k in range(len(HORIZONS) + 1)])
    group = groups(horizon, scale, edges)
    table = _table(residual, scale, group, edges, levels)
    if ill is not None:
        rows = np.repeat(np.arange(len(ill)), np.where(ill, ILL_WEIGHT, 1))
        wide = _table(residual[rows], scale[rows], group[rows], edges, levels)
        inner = (np.array(levels) >= INNER[0]) & (np.array(levels) <= INNER[1])
        table = np.where(inner, table, wide)
    return Calibration(edges, np.maximum.accumulate(table, axis=1))


def _table(residual, scale, group, edges, levels) -> np.ndarray:
    """Return the quantiles of residuals in scales, shape (n_groups, n_levels)."""
    from crepes import ConformalPredictiveSystem  # a forecast needs none: it takes a second

    system = ConformalPredictiveSystem().fit(residual, sigmas=scale, bins=group)
    number = len(edges) * (len(SCALES) + 1)
    ask = {"y_hat": np.zeros(number), "sigmas": np.ones(number), "bins": np.arange(number)}
    percents = [100 * level for level in levels]
    low, high = (system.predict_percentiles(**ask, **{side: percents}).reshape(number, -1)
                 for side in ("lower_percentiles", "higher_percentiles"))
    return np.where(np.array(levels) < 0.5, low, high)


@lru_cache(maxsize=256)
def shipped_calibration(name: str, fold: int, levels: tuple[float, ...]) -> Calibration:
    """Return an extrapolator's calibration by the residuals of all folds but one.

    Raises
    ------
    NotTrainedError
        For an extrapolator that is newer than the residuals.
    """
    stored = read("residuals")
    known, rows = stored["extrapolators"].tolist(), stored["fold"] != fold
    if name not in known:
        raise NotTrainedError(f"The intervals of {name!r} are not calibrated yet: "
                              "`make extrapolators` does it.")
    column = known.index(name)
    residual, scale = (stored[part][rows, column].astype(float) for part in ("residual", "scale"))
    return calibrate(residual, scale, stored["horizon"][rows].astype(float), levels,
                     stored["ill"][rows])


def quantiles(name: str, seen: Seen, targets: np.ndarray, forecast: Forecast,
              levels: tuple[float, ...]) -> np.ndarray:
    """Return quantiles of the error rate, shape (n_curves, n_targets, n_levels), in [0, 1]."""
    result = np.full((*targets.shape, len(levels)), np.nan)
    horizon = np.log2(targets) - seen.now[:, None]
    for fold in np.unique(seen.fold):
        rows = np.flatnonzero(seen.fold == fold)
        known = shipped_calibration(name, int(fold), levels)
        group = groups(horizon[rows], forecast.scale[rows], known.edges)
        spread = forecast.scale[rows][..., None] * known.table[group]
        result[rows] = forecast.centre[rows][..., None] + spread
    return result.clip(0, 1)
