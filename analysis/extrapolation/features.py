"""What the boosted trees look at: the curve's end, the formulas, the Gaussian, its neighbours.

Curve models are extrapolators themselves, too: points, whose intervals are what past errors of
such give.
"""

import warnings

import numpy as np
import pandas as pd

from analysis.extrapolation.gaussian import Gaussian, expect
from analysis.extrapolation.seen import Forecast, Scenes, Seen, from_log, past, set_scenes, to_log
from analysis.fitting.batch import fit_batch
from analysis.fitting.registry import MODELS


def fitted(model: str, seen: Seen, targets: np.ndarray) -> np.ndarray:
    """Return a curve model's fit at the targets, in [0, 1], shape (n_curves, n_targets).

    Curves with fewer sizes than the model has parameters keep their last value.
    """
    found = fit_batch(seen.sizes, seen.values, seen.exists.astype(float), MODELS[model])
    value = found.predict(targets).clip(0, 1)
    return np.where(np.isnan(value), seen.level[:, None], value)


def rough_scale(seen: Seen, centre: np.ndarray) -> np.ndarray:
    """Return how far off a point may be: by its way from the last value, and by the error itself.

    The calibration finds the factor; a curve that is expected to move far is less certain.
    """
    return 0.005 + 0.1 * seen.level[:, None] + 0.5 * np.abs(centre - seen.level[:, None])


def forecast_by(seen: Seen, targets: np.ndarray, model: str) -> Forecast:
    """Forecast by a curve model.

    Parameters
    ----------
    seen : Seen
    targets : ndarray, shape (n_curves, n_targets)
    model : str
        A name in `analysis.fitting.registry.MODELS`.
    """
    centre = fitted(model, seen, targets)
    return Forecast(centre, rough_scale(seen, centre))


LAGS = (-0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -5.0)
FORMULAS = ("POW2", "ILOG2", "VAP3", "EXP4", "MMF4")
NEIGHBOURS = (0, 2, 4)  # positions in PAST of the lags -3, -1.5 and -0.5 that slopes begin at
TURNING = ("LDA", "QDA")  # whose peaks tell how many features a dataset has


def unit(seen: Seen) -> np.ndarray:
    """Return what changes of a curve are counted in, shape (n_curves,): about its last error."""
    return seen.level + 0.02


def features(seen: Seen, targets: np.ndarray, model: Gaussian) -> np.ndarray:
    """Describe curves and how far ahead to look.

    Parameters
    ----------
    seen : Seen
    targets : ndarray, shape (n_curves, n_targets)
        Training-set sizes in rows.
    model : Gaussian
        Fitted to other datasets than those of `seen`.

    Returns
    -------
    ndarray, shape (n_curves, n_targets, n_features)
        NaN where something is not known. In this order: of the curve's end ``level, now, span,
        count, noise, lowest, highest, rises``, the fall since each of `LAGS`, ``since_highest,
        since_lowest``; the learner's number; of the others beside it ``best, median, worst, rank,
        present``, the least, middle and largest fall since each of `NEIGHBOURS`, of each of
        `TURNING` ``since_highest, highest``; how far ahead, what each of `FORMULAS` and their
        median expect; and what `expected` returns.
    """
    return np.concatenate([described(seen, targets, model.learners),
                           expected(seen, targets, model)], axis=2)


def described(seen: Seen, targets: np.ndarray, learners: tuple[str, ...]) -> np.ndarray:
    """Return the features that nothing has to be learnt for: all but those of `expected`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a curve without companions: all NaN
        scenes = set_scenes(seen, learners)
        learner = np.where(scenes.slot < 0, np.nan, scenes.slot)
        still = np.column_stack([_own(seen), learner, _beside(seen, scenes), _turns(seen)])
    still = np.broadcast_to(still[:, None], (*targets.shape, still.shape[1]))
    level, per = seen.level[:, None], unit(seen)[:, None]
    found = np.stack([fitted(name, seen, targets) for name in FORMULAS])
    ahead = [np.log2(targets) - seen.now[:, None], *((found - level) / per),
             (np.median(found, axis=0) - level) / per]
    return np.concatenate([still, np.stack(ahead, axis=-1)], axis=2)


def expected(seen: Seen, targets: np.ndarray, model: Gaussian) -> np.ndarray:
    """Return how far the Gaussian expects to move, to what level, and how sure it is."""
    mean, deviation = expect(model, seen, targets)
    gaussian = from_log(mean)
    moved = (gaussian - seen.level[:, None]) / unit(seen)[:, None]
    return np.stack([moved, gaussian, deviation], axis=-1)


def spans(seen: Seen) -> tuple[np.ndarray, ...]:
    """Return of each curve ``span, count, lowest, highest, since_highest, since_lowest``."""
    first = np.where(seen.exists, seen.log_sizes, np.inf).min(1)
    return (seen.now - first, seen.exists.sum(1), np.nanmin(seen.values, 1) - seen.level,
            np.nanmax(seen.values, 1) - seen.level,
            seen.now - seen.log_sizes[np.where(seen.exists, seen.values, -1).argmax(1)],
            seen.now - seen.log_sizes[np.where(seen.exists, seen.values, 2).argmin(1)])


def _own(seen: Seen) -> np.ndarray:
    span, count, lowest, highest, *since = spans(seen)
    row, ends = np.arange(len(seen.values)), past(seen, lags=(0.0, *LAGS))
    steps = np.diff(pd.DataFrame(seen.values).ffill(axis=1))
    return np.column_stack([
        seen.level, seen.now, span, count, seen.noise[row, seen.last], lowest, highest,
        np.nansum(np.maximum(steps, 0), axis=1), ends[:, :1] - ends[:, 1:], *since])


def _beside(seen: Seen, scenes: Scenes) -> np.ndarray:
    """Describe the other learners' curves on the dataset, up to the same size."""
    other = scenes.past[scenes.scene]
    row, known = np.arange(len(other)), scenes.slot >= 0
    other[row[known], scenes.slot[known]] = np.nan
    other[~known] = np.nan
    last, own = other[:, :, -1], to_log(seen.level)
    present = np.isfinite(last).sum(1)
    rank = np.where(present > 0, (last < own[:, None]).sum(1) / np.maximum(present, 1), np.nan)
    ends = (np.nanmin, np.nanmedian, np.nanmax)
    parts = [*(end(last, 1) - own for end in ends), rank, present]
    for k in NEIGHBOURS:
        parts += [end(last - other[:, :, k], 1) for end in ends]
    return np.column_stack(parts)


def _turns(seen: Seen) -> np.ndarray:
    """Return how many doublings ago the `TURNING` learners were at their highest, and how high.

    Each up to the size at which the curve itself is cut; NaN where the dataset has no such curve.
    """
    parts = []
    for name in TURNING:
        which = np.flatnonzero(seen.learner == name)
        order = which[np.argsort(seen.dataset[which], kind="stable")]
        at = np.searchsorted(seen.dataset[order], seen.dataset).clip(max=max(len(order) - 1, 0))
        found = len(order) > 0 and seen.dataset[order[at]] == seen.dataset
        values = seen.values[order[at]] if len(order) else np.full_like(seen.values, np.nan)
        upto = np.arange(values.shape[1]) <= seen.last[:, None]
        values = np.where(upto & np.isfinite(values), values, -1)
        top = values.max(1)
        known = found & (top >= 0)
        since = seen.now - seen.log_sizes[values.argmax(1)]
        parts += [np.where(known, since, np.nan), np.where(known, top - seen.level, np.nan)]
    return np.column_stack(parts)
