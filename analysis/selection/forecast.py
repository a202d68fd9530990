"""Strategies that predict where every learner ends.

After Domhan et al. 2015, Swersky et al. 2014 and Section 5 of LCDB 1.0.
One extrapolates once and selects; the other drops, rung by rung, who has little chance of winning.
Where successive halving drops a share of the learners whatever their curves look like, dropping by
forecast drops nobody as long as it is open who wins, and all but one as soon as it is not.
"""

import numpy as np

from analysis.extrapolation import Seen, predict_seen
from analysis.extrapolation.features import fitted
from analysis.extrapolation.seen import fold_of
from analysis.fitting import MODELS
from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.halving import nearest_rung, pick, race
from collection.project.naming import check_known

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
    sizes, members = np.unique(contest.rows[contest.rows > 0]), len(contest.learners)
    row, rung = np.nonzero(contest.rows[context])
    at = np.searchsorted(sizes, contest.rows[context[row], rung])
    values, noise = np.full((2, len(context), members, len(sizes)), np.nan)
    for curves, of in ((values, contest.valid), (noise, contest.spread)):
        curves[row, :, at] = np.where(known, of[context], np.nan)[row, :, rung]
    fold = np.array([fold_of(d) for d in contest.dataset[context]], int)
    return Seen(sizes.astype(float), values.reshape(-1, len(sizes)).clip(0, 1),
                noise.reshape(-1, len(sizes)),
                np.tile(contest.learners.astype(object), len(context)),
                np.repeat(np.arange(len(context)), members), np.repeat(fold, members))


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
    check_known("curve model", [model], MODELS)
    last = nearest_rung(contest.log_rows, contest.log_top - doublings)
    seen = np.arange(contest.valid.shape[2]) <= last[:, None]
    curves = _see(contest, contest.context, np.broadcast_to(seen[:, None], contest.valid.shape))
    top = np.repeat(contest.rows[contest.context, contest.top], len(contest.learners))
    at = np.arange(len(top)), np.searchsorted(curves.sizes, top)
    predicted, latest = (np.where(np.isnan(ends), np.inf, ends).reshape(contest.final.shape)
                         for ends in (fitted(model, curves, curves.sizes)[at], curves.level))
    tied = predicted == predicted.min(axis=1, keepdims=True)
    rounds = []
    for rung in range(last.max() + 1):
        context = np.flatnonzero(seen[:, rung])
        everyone = np.ones((len(context), len(contest.learners)), bool)
        rounds.append(Round(context, np.full(len(context), rung), everyone))
    return Outcome(np.where(tied, latest, np.inf).argmin(axis=1), rounds)
