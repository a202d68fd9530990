"""The strategies by name; the plainest of them, which the others are held against."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.forecast import drop_by_forecast, extrapolate
from analysis.selection.halving import hyperband, lccv, nearest_rung, successive_halving


def oracle(contest: Contest) -> Outcome:
    """Choose by the errors that the choice is judged by, which no strategy can know."""
    return Outcome(contest.final.argmin(axis=1), [])


def full_evaluation(contest: Contest) -> Outcome:
    """Train every learner at the top rung and take the best on validation."""
    return early_look(contest, doublings=0)


def early_look(contest: Contest, doublings: float = 1) -> Outcome:
    """Train every learner once and take the best on validation: LCDB 1.0's baseline LAST1.

    Parameters
    ----------
    contest : Contest
    doublings : float
        How far below the top rung to look, in doublings of the training set; the nearest rung.
    """
    rung = nearest_rung(contest.log_rows, contest.log_top - doublings)
    everyone = np.ones(contest.final.shape, bool)
    chosen = contest.valid[contest.context, :, rung].argmin(axis=1)
    return Outcome(chosen, [Round(contest.context, rung, everyone)])


def random_choice(contest: Contest, seed: int = 0) -> Outcome:
    """Choose at random, independently per context, among the learners that have any value."""
    draws = np.random.default_rng(seed).random(contest.final.shape)
    available = np.isfinite(contest.valid).any(axis=2)
    return Outcome(np.where(available, draws, -1).argmax(axis=1), [])


class Strategy(NamedTuple):
    """A way to select a learner.

    Attributes
    ----------
    title : str
        Its name in words.
    run : callable
        ``run(contest, **params)`` returns an `Outcome`.
    """

    title: str
    run: Callable[..., Outcome]


# A new strategy is a function of its own module and a line here.
STRATEGIES = {
    "oracle": Strategy("oracle", oracle),
    "full": Strategy("full evaluation", full_evaluation),
    "early": Strategy("one early look", early_look),
    "random": Strategy("random choice", random_choice),
    "halving": Strategy("successive halving", successive_halving),
    "hyperband": Strategy("Hyperband", hyperband),
    "lccv": Strategy("learning-curve-based cross-validation", lccv),
    "extrapolate": Strategy("extrapolate, then select", extrapolate),
    "forecast": Strategy("drop by forecast", drop_by_forecast),
}
