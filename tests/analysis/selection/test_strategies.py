import numpy as np
import pytest
from contest_cases import contest_of, database, errors
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.selection import SETTINGS, STRATEGIES, build_ladders, open_contest, run_strategy
from analysis.selection.harness import account
from collection.project.naming import UnknownNameError

NAN = np.nan


def learner_of(curves, name, **params):
    return run_strategy(contest_of(curves), name, params)["chosen"].item()


def test_every_strategy_is_run():
    assert {name for name, _ in SETTINGS} == set(STRATEGIES)


@pytest.mark.parametrize(("name", "params"), SETTINGS)
@given(values=errors)
@settings(max_examples=15, deadline=None)
def test_choices_and_costs_are_sound_whatever_is_missing(name, params, values):
    assume(not np.isnan(values[..., 5]).all())
    curves = database(values)
    contest = open_contest(build_ladders(curves), "g", ["LDA", "QDA", "KNN", "MLP"])
    frame = run_strategy(contest, name, params)
    again = run_strategy(contest, name, params)
    assert frame.equals(again)
    assert len(frame) == len(contest.context)
    assert (frame["regret"] >= 0).all()
    assert ((frame["regret"] == 0) == (frame["rank"] == 1)).all()
    assert frame["rank"].between(1, 4).all()
    chosen = [list(contest.learners).index(learner) for learner in frame["chosen"]]
    has_value = np.isfinite(contest.valid).any(axis=2)
    assert has_value[contest.context, chosen].all()
    assert (frame["fits"] >= contest.inner).all()
    assert (frame["fits"] <= 4 * (contest.top + 1) * contest.inner).all()


def test_full_evaluation_takes_the_best_on_validation_and_pays_for_all():
    curves = [[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]
    row = run_strategy(contest_of(curves, finals=[0.4, 0.3, 0.5]), "full", {}).iloc[0]
    assert (row["chosen"], row["fits"], row["rows"]) == ("MLP", 3, 3 * 23)
    assert (row["rank"], row["regret"]) == (3, pytest.approx(0.2))


def test_an_early_look_sees_nothing_later():
    curves = [[0.3, 0.3, 0.1, 0.3, 0.3, 0.0], [0.2, 0.2, 0.2, 0.2, 0.1, 0.5]]
    assert learner_of(curves, "early", doublings=0) == "KNN"
    assert learner_of(curves, "early", doublings=0.6) == "LDA"
    row = run_strategy(contest_of(curves), "early", {"doublings": 0.6}).iloc[0]
    assert row["rows"] == 64 + 64 + 97  # both, and the chosen one at the top


# Hyperband


def test_hyperband_enters_fewer_learners_the_later_a_bracket_starts():
    contest = contest_of(np.full((4, 7), 0.5) + np.arange(4)[:, None] / 10,
                         anchors=16 * 2 ** np.arange(7))
    rounds = STRATEGIES["hyperband"].run(contest, eta=2, seed=0).rounds
    # s = 2: 4 learners at R/4, 2 at R/2, 1 at R; s = 1: 3 at R/2, 1 at R; s = 0: 3 at R.
    assert [int(r.rung[0]) for r in rounds] == [4, 5, 6, 5, 6, 6]
    assert [int(r.who.sum()) for r in rounds] == [4, 2, 1, 3, 1, 3]


# LCCV


def lccv_order(n, seed):
    return np.random.default_rng(seed).random((1, n)).argsort(axis=1)[0]


def test_lccv_prunes_what_convexity_rules_out_and_nothing_else():
    # In two points the line from (16, .5) through (32, .45) reaches .2 at 112 rows, so .195 is out
    # of reach and .205 is not.
    anchors = [16, 32, 64, 112]
    climber = [0.5, 0.45, 0.44, 0.44]
    for best, expected in ((0.195, {16, 32}), (0.205, {16, 32, 64})):
        first, second = lccv_order(2, seed=0)
        curves = np.empty((2, 4))
        curves[first], curves[second] = best, climber
        contest = contest_of(curves, anchors=anchors)
        outcome = STRATEGIES["lccv"].run(contest, start=16, z=0.0, seed=0)
        assert outcome.chosen.tolist() == [first]
        trained = {anchors[int(r.rung[0])] for r in outcome.rounds if r.who[0, second]}
        assert trained == expected
        assert {anchors[int(r.rung[0])] for r in outcome.rounds if r.who[0, first]} == {112}


@given(seed=st.integers(0, 50), data_seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_lccv_finds_the_best_of_convex_curves(seed, data_seed):
    rng = np.random.default_rng(data_seed)
    rows = np.array([16, 23, 32, 45, 64, 97])
    a, b, c = rng.random((3, 5, 1)) * [[[0.3]], [[2]], [[1.5]]]
    curves = np.clip(a + b * rows**-c, 0, None)
    contest = contest_of(curves)
    outcome = STRATEGIES["lccv"].run(contest, start=16, z=0.0, seed=seed)
    assert curves[outcome.chosen[0], -1] == curves[:, -1].min()


# Extrapolation


@pytest.mark.parametrize("doublings", [1, 2])
def test_a_power_law_is_continued_to_the_top(doublings):
    anchors = 16 * 2 ** np.arange(8)
    contest = contest_of([0.1 + 0.5 / anchors, 4 * anchors**-0.5], anchors=anchors)
    assert contest.valid[0, 0, -2] < contest.valid[0, 1, -2]  # overtaken at the top only
    outcome = STRATEGIES["extrapolate"].run(contest, doublings=doublings, model="POW3")
    assert contest.learners[outcome.chosen].tolist() == ["LDA"]


def test_too_few_values_keep_the_latest_and_none_loses():
    flat, falling, unseen = [0.3] * 6, [NAN, 0.5, 0.2, NAN, NAN, 0.2], [NAN] * 5 + [0.0]
    assert learner_of([flat, falling, unseen], "extrapolate", doublings=1.6) == "LDA"


def test_extrapolation_foresees_a_crossing_that_an_early_look_does_not():
    anchors = 16 * 2 ** np.arange(8)
    curves = [0.1 + 8 / anchors, 0.12 + 0.1 / anchors]
    contest = contest_of(curves, anchors=anchors)
    for name, params, expected in (("early", {"doublings": 3}, "LDA"),
                                   ("extrapolate", {"doublings": 3, "model": "POW3"}, "KNN")):
        row = run_strategy(contest, name, params).iloc[0]
        assert row["chosen"] == expected
    assert row["fits"] == 2 * 5 + 1


def test_impossible_predictions_are_clipped_and_the_latest_value_breaks_the_tie():
    # Both lines fall below 0 long before the top; the second is the lower one when last seen.
    anchors = np.array([16, 32, 48, 64, 80, 400])
    curves = [0.50 - anchors / 400, 0.45 - anchors / 400]
    assert run_strategy(
        contest_of(np.clip(curves, 0, 1), anchors=anchors), "extrapolate",
        {"doublings": 2, "model": "LIN2"})["chosen"].item() == "LDA"


@pytest.mark.parametrize(("strategy", "settings", "error", "message"), [
    ("halving", {"increase": 0}, ValueError, "increase"),
    ("halving", {"increase": NAN}, ValueError, "increase"),
    ("halving", {"dropout": 0}, ValueError, "dropout"),
    ("halving", {"start": 98}, ValueError, "start anchor of 98 rows.*97"),
    ("halving", {"start": 0}, ValueError, "start anchor of 0 rows"),
    ("forecast", {"chance": -0.1}, ValueError, "between 0 and 1"),
    ("forecast", {"chance": 1}, ValueError, "between 0 and 1"),
    ("forecast", {"extrapolator": "gausian"}, UnknownNameError, "gaussian"),
    ("hyperband", {"eta": 1}, ValueError, "eta is 1"),
    ("lccv", {"increase": 0}, ValueError, "increase"),
    ("extrapolate", {"model": "POW33"}, UnknownNameError, "POW3")])
def test_settings_that_lead_nowhere_are_refused(strategy, settings, error, message):
    with pytest.raises(error, match=message):
        learner_of(np.full((2, 6), 0.5), strategy, **settings)


# Costs


def test_a_learner_trained_twice_at_a_rung_is_paid_for_once():
    contest = contest_of([[0.1, 0.1], [0.2, 0.2]])
    once = STRATEGIES["full"].run(contest)
    twice = type(once)(once.chosen, once.rounds * 2)
    assert account(contest, once).equals(account(contest, twice))


def test_failed_fits_cost_a_fit_and_unknown_time():
    contest = contest_of([[0.1, NAN], [0.2, 0.2]])
    costs = account(contest, STRATEGIES["full"].run(contest)).iloc[0]
    assert (costs["fits"], costs["rows"], costs["seconds"]) == (2, 46, 23)
