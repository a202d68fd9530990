"""What the strategies are held against: everything, nothing, one early look, and the truth."""



import numpy as np

from analysis.selection.contest import Contest, Outcome, Round
from analysis.selection.halving import nearest_rung


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
    chosen = contest.at(rung).argmin(axis=1)
    return Outcome(chosen, [Round(contest.context, rung, everyone)])


def random_choice(contest: Contest, seed: int = 0) -> Outcome:
    """Choose at random, independently per context, among the learners that have any value."""
    draws = np.random.default_rng(seed).random(contest.final.shape)
    available = np.isfinite(contest.valid).any(axis=2)
    return Outcome(np.where(available, draws, -1).argmax(axis=1), [])
