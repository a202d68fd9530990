"""Successive halving; Hyperband, which runs it from several starts; and LCCV, which goes by slopes.

Jamieson and Talwalkar 2016, as in the paper's Section 5.5; Li et al. 2018, Algorithm 1. LCCV,
learning-curve-based cross-validation (Mohr and van Rijn 2022), gives up a learner as soon as its
curve, were it convex, cannot beat the best one so far.
"""

import math
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from analysis.selection.contest import Contest, Outcome, Round

#: Figure 20. `increase` is in doublings of the training set: the paper's "12.5 %" budget increase
#: is one anchor of its grid, an eighth of a doubling, which is 9.05 % more rows; its 100 % is one
#: doubling. Starts are its grid's anchors 0, 7 and 15, in rows.
GRID = tuple({"start": start, "increase": increase, "dropout": 1}
             for start, increase in product((16, 30, 59), (0.125, 0.25, 0.5, 1.0)))

# A target this much above the top rung, in doublings, is beyond it: half a step of the grid.
_BEYOND = 1 / 16


def successive_halving(contest: Contest, start: float = 16, increase: float = 1.0,
                       dropout: float = 1) -> Outcome:
    """Drop learners rung by rung until one is left.

    Parameters
    ----------
    contest : Contest
    start : float
        Training-set size of the first round, in rows; the nearest rung is taken.
    increase : float
        Growth of the training set per round, in doublings. The nearest rung is taken, and at
        least the next one.
    dropout : float
        From 1 on: how many learners leave per round; below 1: which share of those left (rounded
        half to even, as published). One always stays. Nobody leaves a round in which every
        learner left is missing.

    Returns
    -------
    Outcome
        Contests that run out of rungs are decided as the procedure says.

    Raises
    ------
    ValueError
        If `increase` or `dropout` is not above 0, or `start` is beyond every ladder.
    """
    if not dropout > 0:
        raise ValueError(f"dropout is {dropout}; it must be above 0 learners per round.")

    def stay(rounds: list[Round], ends: np.ndarray) -> np.ndarray:
        left = rounds[-1].who.sum(axis=1)
        after = left - dropout if dropout >= 1 else np.rint(left * (1 - dropout))
        topped = ends & contest.tops_out
        return keep_best(contest, rounds[-1], np.where(topped, 1, np.maximum(after, 1)).astype(int))

    alive, rounds = race(contest, start, increase, stay)
    if contest.tops_out:
        return Outcome(pick(contest, alive, rounds), rounds)
    return Outcome(alive.argmax(axis=1), rounds)


def race(contest: Contest, start: float, increase: float,
         stay: Callable[[list[Round], np.ndarray], np.ndarray]) -> tuple[np.ndarray, list[Round]]:
    """Train learners rung by rung until one is left or the rungs end.

    Parameters
    ----------
    contest : Contest
    start, increase : float
        As in `successive_halving`.
    stay : callable
        ``stay(rounds, ends)``: who of those trained in the latest round stays, as `Round.who`;
        `ends` tells for which contexts it is the last.

    Returns
    -------
    alive : ndarray of bool, shape (context, member)
        Who is left.
    rounds : list of Round

    Raises
    ------
    ValueError
        If there is no first size of `start` rows, or sizes do not grow from there.
    """
    if not increase > 0:
        raise ValueError(f"The increase per round is {increase}; it must be above 0 doublings.")
    largest = contest.rows.max()
    if not 0 < start <= largest:
        raise ValueError(f"No curve of {contest.database!r} has a start anchor of {start} rows: "
                         f"the largest training set has {largest}.")
    alive, rounds = np.ones(contest.final.shape, bool), []
    for rung, entered, ends in schedule(contest, start, increase):
        now = np.flatnonzero(entered & (alive.sum(axis=1) > 1))
        if not len(now):
            break
        rounds.append(Round(now, rung[now], alive[now]))
        alive[now] = stay(rounds, ends[now])
    return alive, rounds


def schedule(contest: Contest, start: float,
             increase: float) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield round by round the rung, whether there is such a round, and whether it is the last.

    It does not depend on how the race goes.

    Parameters
    ----------
    contest : Contest
    start, increase : float
        As in `successive_halving`.

    Yields
    ------
    rung : ndarray of int, shape (context,)
    entered, ends : ndarray of bool, shape (context,)
    """
    beyond = contest.log_top + _BEYOND
    target = np.full(len(beyond), math.log2(start))
    rung = nearest_rung(contest.log_rows, target)
    entered = contest.tops_out | (target <= beyond)
    while entered.any():
        target = contest.log_rows[contest.context, rung] + increase
        ends = rung == contest.top
        if not contest.tops_out:
            ends |= target > beyond
        yield rung, entered, ends
        entered = entered & ~ends
        rung = np.clip(nearest_rung(contest.log_rows, target), rung + 1, contest.top)


def keep_best(contest: Contest, entrants: Round, keep: np.ndarray) -> np.ndarray:
    """Find who of those that entered a round is among its best.

    Parameters
    ----------
    contest : Contest
    entrants : Round
    keep : ndarray of int, shape (some context,)
        How many stay of those that entered; no more than did.

    Returns
    -------
    ndarray of bool, shape (some context, member)
        Ties go to the learner that comes first. All stay where all are missing.
    """
    context, rung, who = entrants
    rank = np.where(who, contest.rank[context, rung], who.shape[1])
    ranked = np.sort(rank, axis=1)
    blind = ranked[:, 0] >= contest.present[context, rung]
    worst = np.where(keep > 0, ranked[np.arange(len(keep)), keep - 1], -1)
    worst[blind] = who.shape[1]
    return who & (rank <= worst[:, None])


def pick(contest: Contest, alive: np.ndarray, rounds: list[Round]) -> np.ndarray:
    """Return who is left, shape (context,).

    Where several are, because all of them are missing at the top, the latest value decides.
    """
    open_ = np.flatnonzero(alive.sum(axis=1) > 1)
    chosen = alive.argmax(axis=1)
    if len(open_):
        latest = np.full(alive.shape, np.inf)
        for context, rung, who in rounds:
            errors = contest.valid[context, :, rung]
            latest[context] = np.where(who & np.isfinite(errors), errors, latest[context])
        chosen[open_] = np.where(alive, latest, np.inf)[open_].argmin(axis=1)
    return chosen


def nearest_rung(log_rows: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the rung whose training-set size is nearest, both as binary logarithms.

    Parameters
    ----------
    log_rows : ndarray, shape (ladder, rung)
        Infinite beyond a ladder's end.
    target : ndarray, shape (ladder,)
    """
    return np.abs(log_rows - target[:, None]).argmin(axis=1)


def hyperband(contest: Contest, eta: float = 2, seed: int = 0) -> Outcome:
    """Run one bracket of successive halving per start anchor and take the best at the top.

    Parameters
    ----------
    contest : Contest
    eta : float
        Factor by which a round's training sets grow and its learners become fewer.
    seed : int
        Of the random learners that enter each bracket, drawn per context.

    Returns
    -------
    Outcome
        A learner trained at the same rung in two brackets is paid for once.

    Raises
    ------
    ValueError
        If `eta` is not above 1.

    Notes
    -----
    With R the top rung's rows, bracket s starts at R·eta^-s, s = s_max, …, 0. The original draws
    its configurations from an endless supply; a group is small. So s_max is no more than it takes
    to halve the group to one, bracket s_max gets the whole group, and the others get the
    proportion of it that evens out the budget: (s_max + 1)/(s + 1)·eta^(s − s_max), rounded up.
    """
    if not eta > 1:
        raise ValueError(f"eta is {eta}; it must be above 1.")
    n_members = len(contest.learners)
    reach = contest.log_top - contest.log_rows[:, 0]
    most = min(math.ceil(math.log(n_members, eta) - 1e-9), n_members)
    s_max = np.minimum(np.floor(reach / math.log2(eta) + 1e-9), most).astype(int)
    draws = np.random.default_rng(seed).random((most + 1, *contest.final.shape))
    rounds: list[Round] = []
    reached = np.zeros(contest.final.shape, bool)
    for s in range(most, -1, -1):
        share = (s_max + 1) / (s + 1) * float(eta) ** (s - s_max)
        entrants = np.minimum(np.ceil(n_members * share - 1e-9), n_members)
        entrants[s_max < s] = 0
        bracket = _bracket(contest, eta, s, draws[s].argsort(axis=1) < entrants[:, None])
        rounds += bracket
        reached |= bracket[-1].who
    final = Round(contest.context, contest.top, reached)
    alive = keep_best(contest, final, np.ones(len(reached), int))
    return Outcome(pick(contest, alive, rounds), rounds)


def _bracket(contest: Contest, eta: float, s: int, alive: np.ndarray) -> list[Round]:
    """Halve the entrants from R·eta^-s up to R; the last round is at the top."""
    entered = alive.sum(axis=1)
    rounds = []
    for i in range(s + 1):
        rung = nearest_rung(contest.log_rows, contest.log_top - (s - i) * math.log2(eta))
        rounds.append(Round(contest.context, rung, alive))
        keep = np.maximum(np.floor(entered / eta ** (i + 1) + 1e-9), 1).astype(int)
        alive = keep_best(contest, rounds[-1], np.minimum(keep, entered))
    return rounds


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
