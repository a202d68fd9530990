"""Hyperband: brackets of successive halving, from all learners on little data to few on all."""

import math

import numpy as np

from analysis.selection.contest import Contest
from analysis.selection.halving import keep_best, nearest_rung, pick
from analysis.selection.outcome import Outcome, Round


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
    alive, _ = keep_best(contest, final, np.ones(len(reached), int))
    return Outcome(pick(contest, alive, rounds), rounds)


def _bracket(contest: Contest, eta: float, s: int, alive: np.ndarray) -> list[Round]:
    """Halve the entrants from R·eta^-s up to R; the last round is at the top."""
    entered = alive.sum(axis=1)
    rounds = []
    for i in range(s + 1):
        rung = nearest_rung(contest.log_rows, contest.log_top - (s - i) * math.log2(eta))
        rounds.append(Round(contest.context, rung, alive))
        keep = np.maximum(np.floor(entered / eta ** (i + 1) + 1e-9), 1).astype(int)
        alive, _ = keep_best(contest, rounds[-1], np.minimum(keep, entered))
    return rounds
