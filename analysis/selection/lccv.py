"""LCCV: give up a learner as soon as its curve, were it convex, cannot beat the best one so far.

Learning-curve-based cross-validation (Mohr and van Rijn 2022).
"""

import numpy as np

from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.halving import nearest_rung


def lccv(contest: Contest, start: float = 64, increase: float = 1.0, z: float = 1.0,
         seed: int = 0) -> Outcome:
    """Climb the ladder learner by learner, pruning those that convexity rules out.

    Parameters
    ----------
    contest : Contest
    start : float
        Training-set size at which a learner's curve begins, in rows; the nearest rung.
    increase : float
        Growth from one rung to the next, in doublings.
    z : float
        Standard errors (over the inner seeds) by which the two latest means are moved apart, in
        the learner's favour, before the slope is taken.
    seed : int
        Of the order in which learners are tried, drawn per context.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        If `increase` is not above 0.

    Notes
    -----
    A convex curve falls no faster later than between its two latest anchors, so the line
    through them bounds the error at the top from below. Where that bound is above the best error
    at the top so far, the learner is given up: on an ill-behaved curve, wrongly. The first learner
    is trained at the top only. The original also jumps to the top when an extrapolation looks
    promising; that saves time, changes no verdict of the bound, and is left out. A missing value
    is skipped, and one at the top loses.
    """
    if not increase > 0:
        raise ValueError(f"The increase per rung is {increase}; it must be above 0 doublings.")
    rounds: list[Round] = []
    best = np.full(len(contest.context), np.inf)
    order = np.random.default_rng(seed).random(contest.final.shape).argsort(axis=1)
    chosen = order[:, 0]
    begin_at = np.broadcast_to(np.log2(start), chosen.shape)
    for turn, member in enumerate(order.T):
        begin = contest.top if turn == 0 else nearest_rung(contest.log_rows, begin_at)
        error = _climb(contest, rounds, member, best, begin, increase=increase, z=z)
        chosen = np.where(error < best, member, chosen)
        best = np.minimum(best, error)
    return Outcome(chosen, rounds)


def _climb(contest: Contest, rounds: list[Round], member: np.ndarray, best: np.ndarray,
           begin: np.ndarray, increase: float, z: float) -> np.ndarray:
    """Return the member's error at the top, infinite where it was given up or is missing."""
    context, rung = contest.context, begin
    valid, spread = contest.valid[context, member], contest.spread[context, member]
    top_rows = contest.rows[context, contest.top]
    itself = member[:, None] == np.arange(len(contest.learners))
    climbing = np.ones(len(context), bool)
    earlier = np.full((3, len(context)), np.nan)  # rows, error, spread of the latest value below
    while (climbing & (rung < contest.top)).any():
        rounds.append(Round(context, rung, climbing[:, None] & itself))
        now = np.stack([a[context, rung] for a in (contest.rows, valid, spread)])
        # The error at the top is bounded from below; NaN, which prunes nothing, without two values.
        low = now[1] - z * now[2]
        fall = np.maximum(earlier[1] + z * earlier[2] - low, 0)
        with np.errstate(divide="ignore", invalid="ignore"):  # where the climb is over
            bound = low - fall / (now[0] - earlier[0]) * (top_rows - now[0])
        bound = np.where(np.isfinite(now[1]), bound, np.nan)
        climbing &= ~((bound > best) & (rung < contest.top))
        earlier = np.where(np.isfinite(now[1]), now, earlier)
        above = nearest_rung(contest.log_rows, contest.log_rows[context, rung] + increase)
        rung = np.where(climbing, np.clip(above, rung + 1, contest.top), rung)
    rounds.append(Round(context, rung, climbing[:, None] & itself))
    return np.where(climbing, valid[context, contest.top], np.inf)
