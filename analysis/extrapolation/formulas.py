"""Curve models as extrapolators: points, whose intervals are what past errors of such give."""

import numpy as np

from analysis.extrapolation.seen import Forecast, Seen
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
