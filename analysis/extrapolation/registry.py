"""The extrapolators by name, and those that learnt from other datasets: usual, Gaussian, trees."""

from collections.abc import Callable
from functools import partial, wraps

import numpy as np

from analysis.extrapolation.artefacts import number, read, shipped_gaussian, shipped_trees
from analysis.extrapolation.features import features, forecast_by, rough_scale, unit
from analysis.extrapolation.gaussian import expect
from analysis.extrapolation.seen import Forecast, Seen, along, from_log, to_log
from analysis.fitting.registry import MODELS

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
def boosted(seen: Seen, targets: np.ndarray, fold: int) -> Forecast:
    """Correct the curve's last value by boosted trees; others say how sure that is."""
    described = features(seen, targets, shipped_gaussian(fold))
    flat, per = described.reshape(-1, described.shape[2]), unit(seen)[:, None]
    moved = shipped_trees("location", fold).predict(flat).reshape(targets.shape)
    spread = np.exp(shipped_trees("spread", fold).predict(flat)).reshape(targets.shape)
    return Forecast((seen.level[:, None] + per * moved).clip(0, 1), LEAST_SPREAD + per * spread)


@by_fold
def usual(seen: Seen, targets: np.ndarray, fold: int) -> Forecast:
    """Let the error fall as the median curve of other datasets does over as many doublings."""
    fall = np.r_[0, read("usual")["fall"][number(fold)]]
    way = along(np.tile(fall, (len(targets), 1)), np.log2(targets) - seen.now[:, None])
    centre = from_log(to_log(seen.level)[:, None] + way)
    return Forecast(centre, rough_scale(seen, centre))


#: Ways to extrapolate: ``forecast(seen, targets)`` is a `Forecast` of every curve of a `Seen` at
#: training-set sizes `targets`, shape (n_curves, n_targets). A new one is a function and a line
#: here; `make extrapolators` calibrates it.
EXTRAPOLATORS: dict[str, Callable[[Seen, np.ndarray], Forecast]] = {
    **{name: partial(forecast_by, model=name) for name in MODELS},
    "usual": usual,
    "gaussian": gaussian,
    "boosted": boosted,
}
