import numpy as np
import pytest
from contest_cases import contest_of, database, errors
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.selection import PROCEDURES, build_ladders, open_contest, run_strategy
from analysis.selection.halving import schedule, successive_halving
from benchmarks.bench_selection import run_loop, run_vectorised
from collection.protocol.anchors import anchor_grid

NAN = np.nan


def chosen(curves, procedure="corrected", **params):
    return int(successive_halving(contest_of(curves, procedure=procedure), **params).chosen[0])


@pytest.mark.parametrize("procedure", PROCEDURES)
@given(
    values=errors,
    start=st.sampled_from([16, 20, 32, 64]),
    increase=st.sampled_from([0.125, 0.5, 1.0]),
    dropout=st.sampled_from([0.2, 0.375, 0.5, 1, 2]),  # of 4 stay 2.5: to the even number
)
@settings(max_examples=40, deadline=None)
def test_halving_equals_the_plain_loop(procedure, values, start, increase, dropout):
    assume(not np.isnan(values[..., 4:]).all())
    contest = open_contest(
        build_ladders(database(values), procedure), "g", ["LDA", "QDA", "KNN", "MLP"])
    assume(contest.rows.max() >= start)
    setting = [(start, increase, dropout)]
    np.testing.assert_array_equal(
        run_vectorised(contest, setting), run_loop(contest, setting))


def test_a_race_worked_by_hand():
    # 16 rows: the third leaves; 32: the first; 64: the second, although it wins at the top.
    curves = [
        [0.3, 0.3, 0.4, 0.3, 0.3, 0.3],
        [0.4, 0.4, 0.3, 0.3, 0.3, 0.1],
        [0.5, 0.1, 0.1, 0.1, 0.1, 0.1],
        [0.4, 0.4, 0.2, 0.2, 0.2, 0.2],
    ]
    contest = contest_of(curves)
    outcome = successive_halving(contest, start=16, increase=1.0, dropout=1)
    assert contest.learners[outcome.chosen] == ["QDA"]
    assert [r.rung.tolist() for r in outcome.rounds] == [[0], [2], [4]]
    assert [r.who.sum() for r in outcome.rounds] == [4, 3, 2]
    row = run_strategy(contest, "halving", {"start": 16, "increase": 1.0, "dropout": 1}).iloc[0]
    assert (row["chosen"], row["rank"]) == ("QDA", 3)
    assert row["regret"] == pytest.approx(0.1)
    # 4 fits with 16 rows, 3 with 32, 2 with 64, and the winner with all 97.
    assert row["fits"] == 10
    assert row["rows"] == 4 * 16 + 3 * 32 + 2 * 64 + 97 == row["seconds"]


def test_out_of_rungs_the_top_decides_when_corrected_and_the_order_as_published():
    curves = [[0.3, 0.3], [0.3, 0.1], [0.4, 0.4], [0.4, 0.4]]
    assert chosen(curves, "corrected") == 1
    assert chosen(curves, "published") == 0


def test_the_published_rule_cuts_at_the_first_missing_value_and_judges_on_validation():
    curves = [[0.3, 0.2, NAN], [0.4, 0.3, 0.1], [NAN, NAN, 0.0]]
    contest = contest_of(curves, finals=[0.9, 0.0, 0.0], procedure="published")
    assert contest.top.tolist() == [1]
    assert contest.final.tolist() == [[0.2, 0.3, 2.0]]


def test_the_corrected_rule_judges_on_test_and_at_the_last_anchor_there_is():
    curves = [[0.3, 0.2, NAN], [0.4, 0.3, 0.1], [NAN, NAN, NAN]]
    contest = contest_of(curves, finals=[NAN, 0.6, NAN])
    assert contest.final.tolist() == [[0.2, 0.6, 1.0]]


@pytest.mark.parametrize("step", [1, 2, 4, 8])
@pytest.mark.parametrize("start", [0, 7, 15])
def test_theschedule_on_the_papers_grid_is_every_step_th_anchor(step, start):
    grid = anchor_grid()
    curves = np.full((2, len(grid)), 0.5)
    for procedure in PROCEDURES:
        contest = contest_of(curves, procedure=procedure, anchors=grid)
        rungs = [int(rung[0]) for rung, *_ in schedule(contest, grid[start], step / 8)]
        published = list(range(start, len(grid), step))
        to_the_top = published if published[-1] == len(grid) - 1 else [*published, len(grid) - 1]
        assert rungs == (published if procedure == "published" else to_the_top)

