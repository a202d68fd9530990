"""Strategies that predict where every learner ends.

After Domhan et al. 2015, Swersky et al. 2014 and Section 5 of LCDB 1.0.
One extrapolates once and selects; the other drops, rung by rung, who has little chance of winning.
Where successive halving drops a share of the learners whatever their curves look like, dropping by
forecast drops nobody as long as it is open who wins, and all but one as soon as it is not.
"""

import numpy as np
import xarray as xr

from analysis.extrapolation import Seen, predict_seen
from analysis.extrapolation.seen import fold_of
from analysis.fitting import fit_curves
from analysis.selection.contest import Contest, Outcome, Round, last_value
from analysis.selection.halving import nearest_rung, pick, race

LEAST = 3  # rungs a learner is trained at before it can be dropped
LEVELS = tuple(np.round(np.arange(0.05, 0.96, 0.05), 2).tolist())


def drop_by_forecast(contest: Contest, start: float = 16, increase: float = 1.0,
                     chance: float = 0.05, extrapolator: str = "gaussian") -> Outcome:
    """Drop learners that will hardly be better than the likely winner.

    Parameters
    ----------
    contest : Contest
    start, increase : float
        First size in rows, and growth per round in doublings, as in
        `analysis.selection.halving.successive_halving`.
    chance : float
        A learner leaves when the probability that it ends below the learner with the lowest
        predicted median is smaller; both ends are taken as independent.
    extrapolator : str
        A name in `analysis.extrapolation.EXTRAPOLATORS`. A dataset that trained
        it is forecast by what was learnt without it.

    Returns
    -------
    Outcome
        The race ends when one is left, or at the top rung, where the latest value decides.

    Raises
    ------
    ValueError
        If `chance` is not between 0 and 1, or no curve has a first size of `start`.
    UnknownNameError
        If there is no such extrapolator.
    """
    if not 0 <= chance < 1:
        raise ValueError(f"The chance below which a learner is dropped is {chance}; it lies "
                         "between 0 and 1.")
    trained = np.zeros(contest.valid.shape, bool)

    def stay(rounds: list[Round], ends: np.ndarray) -> np.ndarray:
        now, rung, who = rounds[-1]
        trained[now, :, rung] |= who
        if chance > 0 and len(rounds) >= LEAST and not ends.all():
            open_ = now[~ends]
            left = forecast_top(contest, open_, trained[open_], extrapolator)
            who = who.copy()
            who[~ends] &= ~_hopeless(left, who[~ends], chance)
        return who

    alive, rounds = race(contest, start, increase, stay)
    return Outcome(pick(contest, alive, rounds), rounds)


def _hopeless(ends: np.ndarray, alive: np.ndarray, chance: float) -> np.ndarray:
    """Tell who has little chance to win, shape (some context, member); never all of them."""
    middle = np.where(alive, ends[..., LEVELS.index(0.5)], np.inf)
    leader = np.where(np.isnan(middle), np.inf, middle).argmin(axis=1)
    best = ends[np.arange(len(ends)), leader]
    wins = np.zeros(ends.shape[:2])
    for k in range(len(LEVELS)):  # a level of the leader at a time: the pairs would fill memory
        wins += (ends < best[:, None, k, None]).mean(axis=2)
    hopeless = (wins / len(LEVELS) < chance) & np.isfinite(middle)
    hopeless[np.arange(len(ends)), leader] = False
    return hopeless & np.isfinite(best).all(axis=1)[:, None]


def forecast_top(contest: Contest, context: np.ndarray, known: np.ndarray,
                 extrapolator: str) -> np.ndarray:
    """Return quantiles of every member's error at the top rung.

    Parameters
    ----------
    contest : Contest
    context : ndarray of int, shape (some context,)
    known : ndarray of bool, shape (some context, member, rung)
        Which values may be seen.
    extrapolator : str

    Returns
    -------
    ndarray, shape (some context, member, len(LEVELS))
        NaN for members with fewer than two values.
    """
    seen = _see(contest, context, known)
    members = known.shape[1]
    top = contest.rows[context, contest.top[context]].astype(float)
    targets = np.repeat(top, members)[:, None]
    rows = np.flatnonzero((seen.exists.sum(1) >= 2) & (seen.sizes[seen.last] < targets[:, 0]))
    ends = np.full((len(targets), len(LEVELS)), np.nan)
    if len(rows):
        ends[rows] = predict_seen(seen.take(rows), targets[rows], extrapolator, LEVELS)[:, 0]
    return ends.reshape(len(context), members, len(LEVELS))


def _see(contest: Contest, context: np.ndarray, known: np.ndarray) -> Seen:
    """Return the known values as curves over all training-set sizes of the contest."""
    known = known & np.isfinite(contest.valid[context])
    (sizes, values), (_, noise) = (
        _over_sizes(contest, context, np.where(known, of[context], np.nan))
        for of in (contest.valid, contest.spread))
    members = len(contest.learners)
    fold = np.array([fold_of(d) for d in contest.dataset[context]], int)
    return Seen(sizes.astype(float), values.reshape(-1, len(sizes)).clip(0, 1),
                noise.reshape(-1, len(sizes)),
                np.tile(contest.learners.astype(object), len(context)),
                np.repeat(np.arange(len(context)), members), np.repeat(fold, members))


def _over_sizes(contest: Contest, context: np.ndarray,
                values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all sizes of the contest, and values at rungs as values there, NaN at others."""
    sizes = np.unique(contest.rows[contest.rows > 0])
    curves = np.full((*values.shape[:2], len(sizes)), np.nan)
    row, rung = np.nonzero(contest.rows[context])
    curves[row, :, np.searchsorted(sizes, contest.rows[context[row], rung])] = values[row, :, rung]
    return sizes, curves


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
    latest = last_value(observed, np.inf)
    predicted = predict_top(contest, observed, model)
    predicted = np.where(np.isnan(predicted), latest, np.clip(predicted, 0, 1))
    tied = predicted == predicted.min(axis=1, keepdims=True)
    rounds = []
    for rung in range(last.max() + 1):
        context = np.flatnonzero(seen[:, rung])
        everyone = np.ones((len(context), len(contest.learners)), bool)
        rounds.append(Round(context, np.full(len(context), rung), everyone))
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
    sizes, curves = _over_sizes(contest, contest.context, observed)
    fits = fit_curves(
        xr.DataArray(curves, dims=("context", "member", "anchor"), coords={"anchor": sizes}),
        [model],
    )
    top = np.searchsorted(sizes, contest.rows[contest.context, contest.top])
    return fits["prediction"].squeeze("model").values[contest.context, :, top]
