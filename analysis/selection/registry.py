"""The strategies by name; the plainest of them, which the others are held against."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.forecast import drop_by_forecast, extrapolate
from analysis.selection.halving import hyperband, nearest_rung, successive_halving
from analysis.selection.lccv import lccv


def oracle(contest: Contest) -> Outcome:
    """Choose by the errors that the choice is judged by, which no strategy can know."""
    return Outcome(contest.final.argmin(axis=1), [])


def full_evaluation(contest: Contest) -> Outcome:
    """Train every learner at the top rung and take the best on validation."""
    return early_look(contest, doublings=0)


def early_look(contest: Contest, doublings: float = 1) -> Outcome:
    """Train every learner once and take the best on validation.

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


@dataclass(frozen=True)
class Strategy:
    """A way to select a learner.

    Attributes
    ----------
    name, title, source : str
        Key in `STRATEGIES`, name in words, where it was proposed.
    run : callable
        ``run(contest, **params)`` returns an `Outcome`.
    """

    name: str
    title: str
    source: str
    run: Callable[..., Outcome]


# A new strategy is a function of its own module and a line here.
STRATEGIES = {s.name: s for s in (
    Strategy("oracle", "oracle", "the best that a choice within the group can be", oracle),
    Strategy("full", "full evaluation", "cross-validation without racing", full_evaluation),
    Strategy("early", "one early look",
             "LAST1, the baseline of LCDB 1.0's extrapolation", early_look),
    Strategy("random", "random choice", "the worst that a strategy may be", random_choice),
    Strategy("halving", "successive halving",
             "Jamieson and Talwalkar 2016; the paper's Section 5.5", successive_halving),
    Strategy("hyperband", "Hyperband", "Li et al. 2018, Algorithm 1", hyperband),
    Strategy("lccv", "learning-curve-based cross-validation", "Mohr and van Rijn 2022", lccv),
    Strategy("extrapolate", "extrapolate, then select",
             "Domhan et al. 2015; LCDB 1.0, Section 5", extrapolate),
    Strategy("forecast", "drop by forecast", "Domhan et al. 2015; Swersky et al. 2014",
             drop_by_forecast),
)}
