"""Dropping by forecast: who leaves, what that saves, and what is refused."""

import numpy as np
from contest_cases import NAMES, contest_of, database

from analysis.selection import STRATEGIES, build_ladders, open_contest, run_strategy
from analysis.selection.forecast import LEVELS, forecast_top

SIZES = 16 * 2 ** np.arange(7)


def contest(levels, n_datasets=2):
    """Power laws that end near `levels`, one learner each."""
    curves = np.array([level + 0.8 * SIZES**-0.5 for level in levels])
    valid = np.broadcast_to(curves[None, :, None, None], (n_datasets, len(levels), 1, 2, 7))
    ladders = build_ladders(database(valid, anchors=SIZES, learners=NAMES[: len(levels)]))
    return open_contest(ladders, "all", list(ladders.learners))


def test_those_without_a_chance_leave_and_the_best_is_chosen():
    race = contest([0.05, 0.06, 0.5, 0.6])
    found = run_strategy(race, "forecast", {"chance": 0.05})
    full = run_strategy(race, "full", {})
    assert (found["regret"] == 0).all()
    outcome = STRATEGIES["forecast"].run(race, chance=0.05)
    assert outcome.rounds[-1].who[:, 2:].any() == False  # noqa: E712 - an array of bool
    assert outcome.rounds[2].who.all()  # nobody leaves before the third rung
    assert (found["fits"] > full["fits"]).all()  # but many rungs are paid
    assert len(outcome.rounds) <= 7


def test_without_a_least_chance_nobody_leaves():
    race = contest([0.05, 0.2, 0.6])
    outcome = STRATEGIES["forecast"].run(race, chance=0)
    assert len(outcome.rounds) == 7
    assert all(round_.who.all() for round_ in outcome.rounds)


def test_only_what_was_trained_is_seen():
    race = contest([0.05, 0.2])
    known = np.zeros(race.valid.shape, bool)
    known[:, 0, :4] = True
    known[:, 1, 0] = True
    ends = forecast_top(race, race.context, known, "gaussian")
    assert ends.shape == (2, 2, len(LEVELS))
    assert np.isfinite(ends[:, 0]).all()
    assert np.isnan(ends[:, 1]).all()


def test_a_single_rung_decides_by_value():
    assert run_strategy(contest_of([[0.3], [0.1]], anchors=[16]), "forecast", {})[
        "chosen"].item() == NAMES[1]

