"""Extrapolate, then select: fit the first part of every curve and choose by the prediction."""

import numpy as np
import xarray as xr

from analysis.fitting import fit_curves
from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.halving import nearest_rung


def extrapolate(contest: Contest, doublings: float = 2, model: str = "POW4") -> Outcome:
    """Train every learner on the first rungs, fit a curve model, choose the best prediction.

    Parameters
    ----------
    contest : Contest
    doublings : float
        How far below the top rung the observation ends, in doublings of the training set; the
        nearest rung, so that at least one is seen.
    model : str
        A name in `analysis.fitting.registry.MODELS`.

    Returns
    -------
    Outcome

    Raises
    ------
    UnknownNameError
        If there is no such model.

    Notes
    -----
    Predictions are error rates and clipped to [0, 1]. Learners with fewer values than the model
    has parameters keep their latest one as prediction; those with none lose. Among equal
    predictions the latest value decides.
    """
    last = nearest_rung(contest.log_rows, contest.log_top - doublings)
    seen = np.arange(contest.valid.shape[2]) <= last[:, None]
    observed = np.where(seen[:, None] & np.isfinite(contest.valid), contest.valid, np.nan)
    latest = _latest(observed)
    predicted = predict_top(contest, observed, model)
    predicted = np.where(np.isnan(predicted), latest, np.clip(predicted, 0, 1))
    tied = predicted == predicted.min(axis=1, keepdims=True)
    rounds = [_everyone(contest, np.flatnonzero(seen[:, k]), k) for k in range(last.max() + 1)]
    return Outcome(np.where(tied, latest, np.inf).argmin(axis=1), rounds)


def predict_top(contest: Contest, observed: np.ndarray, model: str) -> np.ndarray:
    """Fit a model to observed errors and return its values at the top, both per member.

    Parameters
    ----------
    contest : Contest
    observed : ndarray, shape (context, member, rung)
        NaN where there is nothing to fit.
    model : str
        A name in `analysis.fitting.registry.MODELS`.

    Returns
    -------
    ndarray, shape (context, member)
        NaN where there are too few values for the model.
    """
    sizes = np.unique(contest.rows[contest.rows > 0])
    context, rung = np.nonzero(contest.rows)
    curves = np.full((*observed.shape[:2], len(sizes)), np.nan)
    curves[context, :, np.searchsorted(sizes, contest.rows[context, rung])] = (
        observed[context, :, rung])
    fits = fit_curves(
        xr.DataArray(curves, dims=("context", "member", "anchor"), coords={"anchor": sizes}),
        [model],
    )
    top = np.searchsorted(sizes, contest.rows[contest.context, contest.top])
    return fits["prediction"].squeeze("model").values[contest.context, :, top]


def _everyone(contest: Contest, context: np.ndarray, rung: int) -> Round:
    who = np.ones((len(context), len(contest.learners)), bool)
    return Round(context, np.full(len(context), rung), who)


def _latest(observed: np.ndarray) -> np.ndarray:
    """Return the last value along the rungs, infinite where there is none."""
    present = ~np.isnan(observed)
    last = observed.shape[2] - 1 - present[..., ::-1].argmax(axis=2)
    value = np.take_along_axis(observed, last[..., None], axis=2)[..., 0]
    return np.where(present.any(axis=2), value, np.inf)
