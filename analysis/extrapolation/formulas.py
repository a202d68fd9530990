"""Curve models as extrapolators, each by itself and combined.

One gives a point, with an interval that its past errors give. Combined they are weighted by their
evidence, or their median, or one with a Gaussian process around it.
"""

import numpy as np

from analysis.extrapolation.seen import Forecast, Seen
from analysis.extrapolation.windows import past
from analysis.fitting.batch import fit_batch
from analysis.fitting.registry import MODELS

LEAST_DEVIATION = 0.002  # of a fit: measured means are not more exact than that
RANGE = 3.0  # doublings over which a curve's deviations from its formula resemble each other
NOISE = 0.3  # of the deviations' variance
LAGS = np.arange(-6, 0.5, 0.5)  # doublings before the last size


def _fit(name: str, seen: Seen, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a curve model's fit at the targets, as `fitted`, and its mean squared errors."""
    found = fit_batch(seen.sizes, seen.values, seen.there.astype(float), MODELS[name])
    value = found.predict(targets).clip(0, 1)
    return np.where(np.isnan(value), seen.level[:, None], value), found.mse


def fitted(model: str, seen: Seen, targets: np.ndarray) -> np.ndarray:
    """Return a curve model's fit at the targets, in [0, 1], shape (n_curves, n_targets).

    Curves with fewer sizes than the model has parameters keep their last value.
    """
    return _fit(model, seen, targets)[0]


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


def evidence(seen: Seen, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every formula's prediction and the logarithm of its evidence.

    Returns
    -------
    prediction : ndarray, shape (n_models, n_curves, n_targets)
    score : ndarray, shape (n_models, n_curves)
        The Laplace approximation with the deviation profiled out: minus half of Schwarz's
        criterion. Minus infinity where a model has more parameters than the curve has sizes.
    """
    n = seen.there.sum(1)
    prediction, score = [], []
    for name, model in MODELS.items():
        value, mse = _fit(name, seen, targets)
        criterion = n * np.log(mse + LEAST_DEVIATION**2) + model.n_parameters * np.log(n)
        prediction.append(value)
        score.append(np.where(np.isfinite(mse), -0.5 * criterion, -np.inf))
    return np.stack(prediction), np.stack(score)


def weighted(seen: Seen, targets: np.ndarray) -> Forecast:
    """Average the formulas by their posterior weights; their disagreement is the uncertainty."""
    prediction, score = evidence(seen, targets)
    weight = np.exp(score - score.max(0))
    weight = (weight / weight.sum(0))[..., None]
    centre = (weight * prediction).sum(0)
    apart = np.sqrt((weight * (prediction - centre) ** 2).sum(0))
    return Forecast(centre, apart + rough_scale(seen, centre))


def median_formula(seen: Seen, targets: np.ndarray) -> Forecast:
    """Take the median of the formulas' predictions; their median distance is the uncertainty."""
    prediction = np.stack([fitted(name, seen, targets) for name in MODELS])
    centre = np.median(prediction, axis=0)
    apart = np.median(np.abs(prediction - centre), axis=0)
    return Forecast(centre, apart + rough_scale(seen, centre))


def process(seen: Seen, targets: np.ndarray) -> Forecast:
    """Let a curve's last deviations from POW2 fade out instead of forgetting them.

    The deviations of the logarithm, at half doublings, are a Gaussian process with an exponential
    kernel of range `RANGE` and noise `NOISE`.
    """
    own = past(seen, lags=LAGS)
    mean = fitted("POW2", seen, 2 ** (seen.now[:, None] + LAGS))
    rest, there = own - np.log(mean + 0.1), np.isfinite(own)
    kernel = np.exp(-np.abs(LAGS[:, None] - LAGS) / RANGE) + NOISE * np.eye(len(LAGS))
    pairs = there[:, :, None] & there[:, None]
    inner = np.where(pairs, kernel, np.eye(len(LAGS)))
    pull = np.linalg.solve(inner, np.where(there, rest, 0)[..., None])[..., 0]
    ahead = np.log2(targets) - seen.now[:, None]
    cross = np.exp(-(ahead[..., None] - LAGS) / RANGE)
    shift = np.einsum("cta,ca->ct", cross, pull)
    centre = ((fitted("POW2", seen, targets) + 0.1) * np.exp(shift) - 0.1).clip(0, 1)
    return Forecast(centre, rough_scale(seen, centre))
