"""The order of methods: against plain loops, worked cases, what must not matter, bad input."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata, t

from analysis.leaderboards import order, ordering
from analysis.leaderboards.cells import ResultsError, to_cells
from analysis.leaderboards.estimates import beaten_by, estimate_ranks, estimate_values, wins_over
from analysis.leaderboards.flips import (
    BLOCKS,
    Lent,
    from_one_scale,
    largest_statistics,
    on_one_scale,
    resampled_statistics,
    resamples,
    signs,
)
from analysis.leaderboards.ordering import mean_gaps
from analysis.leaderboards.stepdown import (
    ALPHA,
    LEAST,
    may_be_first_without,
    significant,
    step_down,
)


def as_results(value, **columns):
    """Return a wide array (task, method) as a tidy table."""
    wide = pd.DataFrame(value, [f"t{k:03d}" for k in range(len(value))],
                        [f"m{k:02d}" for k in range(np.shape(value)[1])]).rename_axis("task")
    long = wide.melt(ignore_index=False, var_name="method").reset_index()
    return long.assign(**({"higher_is_better": True} | columns))


def drawn(tasks=12, methods=4, step=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(tasks, methods)) - step * np.arange(methods)


def plain_p_values(value, draws, seed):
    """Return p of each pair by loops: all flips and resamples (Hall's bootstrap-t), step by step.

    To each pair's variance the mean of all in the draw is lent, as of ten tasks or of other pairs.
    """
    ranks = rankdata(-value, axis=1)
    tasks, methods = ranks.shape
    gaps = {(i, j): ranks[:, i] - ranks[:, j]
            for i, j in itertools.combinations(range(methods), 2)}
    lent = min(10, len(gaps) - 1)
    lent = lent / (lent + tasks - 1)

    def squared_t(drawn, share=0.0):
        pool, found = np.mean([gap.var() for gap in drawn.values()]), {}
        for pair, gap in drawn.items():
            variance = (1 - share) * gap.var() + share * gaps[pair].var()
            variance = (1 - lent) * variance + lent * pool
            found[pair] = ((tasks - 1) * gap.mean()**2 / variance if variance > 1e-15 else
                           np.inf if gap.mean() else 0.0)
        return found

    flipped = [squared_t({pair: gap * flip for pair, gap in gaps.items()})
               for flip in itertools.product((1, -1), repeat=tasks)]
    resampled = [squared_t({pair: np.repeat(gap - gap.mean(), times.astype(int))
                            for pair, gap in gaps.items()}, 0.05)
                 for times in resamples(np.arange(draws), tasks, seed)]
    seen = {pair: t * (1 - 1e-9) for pair, t in squared_t(gaps).items()}
    p, left, least = {}, set(gaps), 0.0
    while left:
        step = {pair: max(2.0 ** (1 - tasks), 1 / draws, least, *(
            np.mean([max(draw[other] for other in left) >= seen[pair] for draw in every])
            for every in (flipped, resampled))) for pair in left}
        told = {pair for pair in left if step[pair] <= 0.05}
        p |= step
        if not told:
            break
        left, least = left - told, max(step[pair] for pair in told)
    return p


@pytest.mark.parametrize(("tasks", "methods"), [(6, 3), (7, 2), (8, 4), (9, 4)])
def test_p_values_are_the_larger_of_plain_loops_over_flips_and_over_resamples(tasks, methods):
    value = drawn(tasks, methods, 1.0, seed=tasks)
    expected = plain_p_values(value, 300, seed=3)
    for row in order(as_results(value), 300, seed=3).pairs.itertuples():
        pair = tuple(sorted((int(row.one[1:]), int(row.other[1:]))))
        assert row.p_adjusted == pytest.approx(expected[pair], abs=1e-12)


def test_two_that_share_six_of_twelve_tasks_are_no_surer_than_six_signs_allow():
    value = np.array([5, 0, -5]) + np.random.default_rng(0).normal(0, 0.01, (12, 3))
    value[6:, 1] = np.nan
    found = order(as_results(value)).pairs.set_index(["one", "other"])["p_adjusted"]
    assert found.tolist() == [1 / 32, 1 / 2000, 1 / 32]


def test_a_case_worked_by_hand():
    # A wins all six tasks over B: one of 32 flips is as far apart, p = 1/32.
    found = order(as_results(np.c_[np.arange(6) + 1.0, np.arange(6)]))
    assert found.pairs["p_adjusted"].tolist() == [1 / 32]
    assert found.ranks[["low", "high"]].to_numpy().tolist() == [[1, 1], [2, 2]]
    assert found.ranks["mean_rank"].tolist() == [1, 2]
    assert found.ranks["may_be_first"].tolist() == [True, False]
    # Five of six: flips with at most one sign apart, 2 · 7 of 64, reach it; of resamples those
    # without the sixth task, (5/6)^6 of them, or of nothing but one kind.
    cells = to_cells(as_results(np.c_[[1, 1, 1, 1, 1, 0.0], [0, 0, 0, 0, 0, 1.0]]))
    estimate = estimate_ranks(cells)
    (flips, _), (resampled, _) = estimate.chance(np.ones((2, 2), bool), 2000, 0)
    assert (flips >= estimate.statistic[0, 1] * (1 - 1e-9)).mean() == pytest.approx(14 / 64)
    assert abs((resampled >= estimate.statistic[0, 1]).mean() - (5 / 6)**6) < 0.05
    found = order(cells)
    assert found.ranks["letters"].tolist() == ["a", "a"]


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 20), st.integers(2, 7), st.integers(0, 10**6), st.booleans())
def test_p_intervals_and_ranks_agree(tasks, methods, seed, holes):
    value = np.round(drawn(tasks, methods, 0.8, seed), 1)
    if holes:
        value[np.random.default_rng(seed).random(value.shape) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = order(as_results(value), n_resamples=300)
    pairs, ranks = found.pairs, found.ranks.set_index("method")
    apart = pairs["p_adjusted"] <= 0.05
    assert apart[pairs["low"] > 0].all()  # the step-down tells more apart
    assert (pairs["effect"] >= 0).all()
    assert (ranks["low"] <= ranks["rank"]).all()
    assert (ranks["rank"] <= ranks["high"]).all()
    for row in pairs[apart].itertuples():
        assert not set(ranks["letters"][row.one]) & set(ranks["letters"][row.other])
    for row in pairs[~apart].itertuples():
        assert set(ranks["letters"][row.one]) & set(ranks["letters"][row.other])
    beaten = pairs[apart].groupby("other").size().reindex(ranks.index, fill_value=0)
    assert (ranks["low"] == 1 + beaten).all()
    assert (ranks["may_be_first"] == (beaten == 0)).all()


def plain_mean_ranks(value):
    """Return 1 plus the rates at which the others win, a tie half, on the tasks that two share."""
    methods = range(value.shape[1])
    rates = []
    for k in methods:
        both = [[(j, k) for j, k in zip(value[:, j], value[:, k], strict=True)
                 if not np.isnan(j + k)] for j in methods if j != k]
        rates.append(1 + sum(np.mean([0.5 if other == own else other > own
                                      for other, own in pairs]) for pairs in both))
    return rates


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(2, 4), st.sampled_from([0, 0.3]), st.integers(0, 10**6))
def test_mean_ranks_are_those_of_loops_with_ties_and_holes(tasks, methods, holes, seed):
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 3, (tasks, methods)).astype(float)
    value[:, 1:][rng.random((tasks, methods - 1)) < holes] = np.nan
    value[0] = rng.integers(0, 3, methods)  # every two share a task
    cells = to_cells(as_results(value).dropna())
    found = dict(zip(cells.methods, estimate_ranks(cells).level, strict=True))
    expected = plain_mean_ranks(value)
    np.testing.assert_allclose([found[f"m{k:02d}"] for k in range(methods)], expected)
    if not np.isnan(value).any():
        np.testing.assert_allclose(expected, rankdata(-value, axis=1).mean(0))


def test_missing_cells_leave_pairs_on_the_tasks_they_share():
    value = drawn(10, 3)
    value[7:, 0] = np.nan
    with pytest.warns(UserWarning, match=r"3 of 30 cells are missing \(m00 on t007, t008"):
        found = order(as_results(value)).ranks.set_index("method")["mean_rank"]
    wins = (value[:7, 1] > value[:7, 0]).mean() + (value[:7, 2] > value[:7, 0]).mean()
    assert found["m00"] == pytest.approx(1 + wins)
    assert found.sum() == pytest.approx(6)


def test_methods_that_never_met_leave_room_for_either():
    value = drawn(20, 3, 2.0)
    value[:10, 1], value[10:, 2] = np.nan, np.nan
    with pytest.warns(UserWarning, match="1 pairs of methods share no task"):
        found = order(as_results(value)).pairs.set_index(["one", "other"])
    assert found["p_adjusted"]["m01", "m02"] == 1
    assert found["low"]["m01", "m02"] == -2
    apart = found.loc[("m00", "m01")]
    assert apart["high"] - apart["effect"] >= 0.5


def test_nothing_changes_that_should_not():
    results = as_results(drawn(14, 5, 0.4))
    plain = order(results)
    again = {
        "permuted": results.sample(frac=1, random_state=0),
        "each seed twice": pd.concat([results.assign(seed=s) for s in (0, 1)]),
        "a family twice": pd.concat([
            results.assign(family=results["task"]),
            results[results["task"] == "t003"].assign(task="t003 again", family="t003")]),
        "turned": results.drop(columns="higher_is_better").assign(
            value=-results["value"], lower_is_better=True),
        "turned otherwise": results.assign(value=-results["value"], higher_is_better="no"),
        "on another scale": results.assign(value=np.exp(results["value"])),
    }
    for what, table in again.items():
        found = order(table)
        pd.testing.assert_frame_equal(found.ranks, plain.ranks, obj=what)
        pd.testing.assert_frame_equal(found.pairs, plain.pairs, obj=what)


def test_fewer_than_six_families_separate_nobody():
    with pytest.warns(UserWarning, match="5 families of tasks separate nobody: 6 are the least"):
        found = order(as_results(drawn(5, 3, 50)))
    assert (found.ranks["low"] == 1).all()
    assert (found.ranks["high"] == 3).all()
    assert (found.pairs["p_adjusted"] > 0.05).all()
    assert (found.pairs["low"] == -2).all()
    assert 2.0 ** (1 - LEAST) <= ALPHA < 2.0 ** (2 - LEAST)


def test_ties_have_their_width():
    wide = order(as_results(drawn(20, 3, 1.0)), tie=100.0)
    assert wide.ranks["letters"].eq("a").all()
    assert wide.ranks["mean_rank"].eq(2).all()


def test_equal_in_practice_is_an_interval_of_mean_values_within_the_tie():
    """Of complete methods that of the order by values; where one lacks a value nothing is said."""
    value = 0.02 * drawn(30, 4, 0.0)
    value[:, 3] += 0.5
    value[0, 2] = np.nan
    with pytest.warns(UserWarning, match="1 of 120 cells are missing"):
        pairs = order(as_results(value), tie=0.03).pairs
    gap, reach = mean_gaps(to_cells(as_results(value[:, [0, 1, 3]])), 2000, 0)
    means, seen = pd.Series(np.nanmean(value, axis=0), ["m00", "m01", "m02", "m03"]), 0
    for p in pairs.itertuples():
        if "m02" in (p.one, p.other):
            assert np.isnan([p.gap, p.gap_low, p.gap_high]).all() and not p.equal
            continue
        at = tuple(["m00", "m01", "m03"].index(name) for name in (p.one, p.other))
        ends = [gap[at] - reach[at], gap[at] + reach[at]]
        assert [p.gap_low, p.gap_high] == pytest.approx(ends)
        assert p.gap == pytest.approx(means[p.one] - means[p.other])
        assert p.alike == (ends[0] >= -0.03 and ends[1] <= 0.03)
        fall = 1 - 0.05 ** (1 / 30)  # a crash to the worst of each task, on so many
        room = fall * (np.nanmean(value - np.nanmin(value, axis=1, keepdims=True), axis=0))
        one, other = (room[int(name[1:])] for name in (p.one, p.other))
        assert p.crashes == pytest.approx(fall)
        assert p.equal == (ends[0] - one >= -0.03 and ends[1] + other <= 0.03)
        seen += p.alike
    assert seen == 1  # the two that are alike
    two = as_results(value[1:]).assign(metric=lambda t: np.where(t["task"] < "t010", "auc", "f1"))
    assert not order(two, tie=0.03).pairs["alike"].any()  # no one scale


def test_what_is_alike_is_said_with_the_crashes_that_no_task_would_show():
    pairs = ordering.order_cells(to_cells(as_results(drawn(20, 5))), 100, tie=0.005).pairs
    said = ordering.equal_in_words(pairs.assign(alike=True))
    assert "10 pairs are alike on tasks such as these" in said and "14 % of tasks" in said
    assert "30 points lost there are 4.2 points of a mean" in said and "sure" not in said


def test_equal_methods_share_everything():
    with pytest.warns(UserWarning, match="All methods have the same value on every task"):
        found = order(as_results(np.ones((9, 3))))
    assert found.ranks["rank"].eq(1).all()
    assert found.ranks["high"].eq(3).all()
    assert np.isinf(found.pairs["tasks_needed"]).all()
    # One of the two may be ahead, by two places at most, where nine tasks show none.
    assert found.pairs["high"].to_numpy() == pytest.approx(2 * (1 - 0.05 ** (1 / 9)))


def test_tasks_needed_falls_with_the_gap_and_has_an_interval():
    found = order(as_results(drawn(40, 4, 0.5))).pairs
    assert (found["needed_from"] <= found["tasks_needed"]).all()
    assert (found["tasks_needed"] <= found["needed_to"]).all()
    by_pair = found.set_index(["one", "other"])["tasks_needed"]
    assert by_pair["m00", "m03"] < by_pair["m00", "m01"]


def test_signs_are_fair_and_the_same_everywhere():
    found = signs(np.arange(4000), 50, seed=3)
    assert (found[0] == 1).all()
    assert np.abs(found[1:].mean(axis=0)).max() < 5 / np.sqrt(4000)
    correlation = np.corrcoef(found[1:].T) - np.eye(50)
    assert np.abs(correlation).max() < 5 / np.sqrt(4000)
    # The panel in the book draws the same ones.
    assert "".join("+" if s > 0 else "-" for s in signs(np.array([1, 2]), 8, 0).ravel()) == SIGNS


SIGNS = "-++---+--+-++-+-"


def test_draws_do_not_depend_on_the_chunks_they_are_made_in(monkeypatch):
    found = estimate_ranks(to_cells(as_results(drawn(15, 4))))
    how = (found.parts, found.shared, 500, 1, found.freedom, found.lent)
    whole = largest_statistics(*how)[0]
    monkeypatch.setattr("analysis.leaderboards.flips.CHUNK", 64)
    again = largest_statistics(*how)[0]
    assert again == pytest.approx(whole, rel=1e-9)


def test_resamples_are_students_t_about_what_was_seen():
    residual, none = drawn(6, 4) - drawn(6, 4).mean(axis=0), np.zeros((4, 4))
    found = resampled_statistics(residual, none + 6, 50, 0, none + np.inf, Lent(*[none] * 4))[0]
    gaps = [residual[:, i] - residual[:, j] for i, j in itertools.combinations(range(4), 2)]
    for seen, times in zip(found, resamples(np.arange(50), 6, 0).astype(int), strict=True):
        again = [(np.repeat(gap, times), 0.05 * gap.var(ddof=1)) for gap in gaps]
        assert seen == pytest.approx(max(
            6 * gap.mean()**2 / (0.95 * gap.var(ddof=1) + own) for gap, own in again))


def test_resamples_are_fair_and_large_tables_are_resampled_in_blocks():
    times = resamples(np.arange(3000), 30, seed=1)
    assert (times.sum(axis=1) == 30).all()
    assert np.abs(times.mean(axis=0) - 1).max() < 5 / np.sqrt(3000)
    residual = np.random.default_rng(0).normal(size=(4 * BLOCKS, 3))
    residual -= residual.mean(axis=0)
    none = np.zeros((3, 3))
    whole = resampled_statistics(residual, none + len(residual), 800, 0, none + np.inf,
                                 Lent(*[none] * 4))[0]
    assert 3 < np.quantile(whole, 0.95) < 9  # Student's t of three pairs: about 5.7


def test_skewed_differences_ask_for_more_than_symmetric_ones():
    rng = np.random.default_rng(5)
    even, skewed = rng.normal(size=(40, 6)), rng.lognormal(sigma=1.3, size=(40, 6))
    skewed[:, 0] = 0
    asked = [step_down(estimate_values(to_cells(as_results(v))), 500, 0).first
             for v in (even, skewed)]
    assert asked[1] > asked[0]


def by_trying_every_method(cells, found, critical):
    """Return what `may_be_first_without` does, each family of each method ahead tried in turn."""
    ahead = significant(found, critical) & (found.effect > 0)
    rows = []
    for method in np.flatnonzero(ahead.any(axis=0)):
        better = np.flatnonzero(ahead[:, method])
        gap = found.parts[:, [method]] - found.parts[:, better]
        most = np.argsort(-np.round(gap / np.abs(gap).max(), 12), axis=0, kind="stable")
        for out in ([most[:1, 0], most[:2, 0]] if len(better) == 1 else list(most[:1].T)):
            left = np.delete(gap, out, axis=0)
            n = np.maximum(found.shared[method, better] - len(out), 2)
            spread = np.square(left).sum(axis=0) - left.sum(axis=0)**2 / len(left)
            weight, lent = (x[method, better] for x in found.lent[:2])
            spread = (1 - weight) * spread / (1 - 1 / n) + lent
            with np.errstate(divide="ignore", invalid="ignore"):
                reached = np.where(spread > 1e-24, left.sum(axis=0)**2 / spread, np.inf)
            if not (reached > found.asked(critical)[method, better]).any():
                rows.append((len(out), " and ".join(sorted(cells.families[k] for k in out)),
                             cells.methods[method]))
                break
    return [row[1:] for row in sorted(set(rows))]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(LEAST, 30), st.integers(2, 40), st.booleans(),
       st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([0.0, 0.2]))
def test_what_an_order_hangs_on_is_found_as_by_trying_every_method(seed, tasks, methods, coarse,
                                                                   asked, tie):
    value = drawn(tasks, methods, 0.9, seed)
    value[0, ::2] += 3  # a task that speaks for some
    value = np.round(value, 0 if coarse else 3)
    if seed % 3 == 0:
        value[np.random.default_rng(seed).random(value.shape) < 0.1] = np.nan
    cells = to_cells(as_results(value))
    found = estimate_ranks(cells, tie)
    table = may_be_first_without(cells, found, asked)
    assert list(table.itertuples(index=False, name=None)) == by_trying_every_method(
        cells, found, asked)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 8), st.sampled_from([0.0, 0.2]))
def test_how_many_beat_a_method_is_what_each_win_adds_up_to(seed, tasks, methods, tie):
    value = np.round(drawn(tasks, methods, 0.5, seed), 1)
    cells = to_cells(as_results(value))
    by_pair = sum(np.where(np.arange(methods) == k, 0, wins_over(cells, [k], tie)[0][:, 0])
                  for k in range(methods))
    np.testing.assert_allclose(beaten_by(cells, tie), by_pair)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 11))
def test_letters_are_the_largest_sets_that_do_not_differ(seed, n):
    rng = np.random.default_rng(seed)
    differ = np.triu(rng.random((n, n)) < rng.random(), 1)
    differ |= differ.T
    some = [set(np.flatnonzero([k >> m & 1 for m in range(n)])) for k in range(1, 2**n)]
    some = [one for one in some if not differ[np.ix_(sorted(one), sorted(one))].any()]
    assert ordering.largest_groups(differ) == sorted(
        sorted(one) for one in some if not any(one < other for other in some))
    assert ordering.letters(differ)[0].startswith("a")
    for run in ordering.runs(differ):
        assert run == list(range(run[0], run[-1] + 1)) and set(run) in some
    assert {m for run in ordering.runs(differ) for m in run} == set(range(n))


@pytest.mark.parametrize(("setting", "message"), [
    *(({"tie": tie}, f"tie has to be a width of 0 or more, not {tie!r}")
      for tie in ("1", -1, np.nan, np.inf)),
    ({"n_resamples": 0}, "n_resamples has to be"), ({"n_resamples": 1.5}, "n_resamples has to be"),
    ({"seed": -1}, "seed has to be a whole number from 0"),
    ({"n_resamples": 2**70}, "n_resamples has to be a whole number from 1 to a million"),
    ({"n_resamples": float("inf")}, "n_resamples has to be a whole number"),
])
def test_settings_out_of_range_are_named(setting, message):
    with pytest.raises(ResultsError, match=message):
        order(GOOD, **setting)


GOOD = as_results(drawn(8, 3))
ONE_WAY = GOOD.drop(columns="higher_is_better")
BAD = {
    "one method": (GOOD[GOOD["method"] == "m00"], r"one method only \(m00\): an order needs two"),
    "no rows": (GOOD[:0], "no method"),
    "no column": (GOOD.drop(columns="value"), "This is no table of results"),
    "text": (GOOD.assign(value=GOOD["value"].astype(object).where(GOOD.index != 4, "n/a?")),
             r"'n/a\?' of m00 on t004, is no number"),
    "percent": (GOOD.assign(value=GOOD["value"].map("{:.1f}%".format)), "carries a percent sign"),
    "infinite": (GOOD.assign(value=GOOD["value"].where(GOOD.index != 4, np.inf)), "infinite"),
    "the same seed twice": (pd.concat([GOOD.assign(seed=1)] * 2), "24 results are given twice"),
    "mixed directions": (ONE_WAY.assign(lower_is_better=GOOD["method"] == "m01"),
                         "Task t000 has two directions"),
    "an odd direction": (GOOD.assign(lower_is_better="perhaps"), "says yes or no"),
    "nothing of a method": (GOOD.assign(value=GOOD["value"].where(GOOD["method"] != "m01")),
                            "1 of 3 methods have no value at all, the first: m01"),
    "complex": (GOOD.assign(value=GOOD["value"] + 1j), "24 values are complex"),
    "a complex value": (GOOD.assign(value=GOOD["value"].astype(object).where(
        GOOD.index != 4, 1j)), "1 values are complex numbers, the first 1j"),
    "deviations in words": (GOOD.assign(deviation="some", repeats=3), "not numbers"),
    "a nameless method": (GOOD.assign(method=GOOD["method"].where(GOOD.index != 4)),
                          "1 rows have no method"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_answered_in_one_line(what):
    table, message = BAD[what]
    with pytest.raises(ResultsError, match=message) as raised:
        order(table)
    assert "\n" not in str(raised.value)


def test_pairs_that_share_few_tasks_do_not_blind_those_that_share_all():
    """Bad methods that lack a block of tasks: nobody fails as all did, and complete ones differ."""
    rng = np.random.default_rng(0)
    value = rng.normal(size=(50, 8)) + np.array([1.5, 1, 0.5, 0, -3, -3, -3, -3])
    alone = order(as_results(value[:, :4])).pairs
    value[8:, 4:] = np.nan
    with pytest.warns(UserWarning, match="168 of 400 cells are missing"):
        found = order(as_results(value))
    whole = found.pairs[found.pairs["one"].lt("m04") & found.pairs["other"].lt("m04")]
    assert (whole["p_adjusted"] <= 0.05).sum() >= (alone["p_adjusted"] <= 0.05).sum() - 1
    assert not found.ranks.set_index("method").loc["m07", "may_be_first"]
    assert found.critical < 4


@given(st.floats(0, 1e6), st.floats(1, 300))
def test_statistics_come_back_from_one_scale(squared, freedom):
    there = on_one_scale(np.array([squared]), np.array([freedom]))
    back = from_one_scale(there, np.array([freedom]))
    assert back[0] == pytest.approx(squared, rel=1e-6, abs=1e-9)
    rare = 2 * norm.sf(np.sqrt(there[0]))
    if freedom > 4 and squared < 100:
        assert rare == pytest.approx(2 * t.sf(np.sqrt(squared), freedom), rel=0.15, abs=1e-6)
