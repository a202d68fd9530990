"""Pairs of methods: Holm's procedure and groups against brute force, the paper's p-values."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import wilcoxon

from analysis.leaderboards import wilcoxon as ours
from analysis.statistics.sign_flips import holm


@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.3, 1.0]) | st.floats(0, 1), min_size=1,
                max_size=12))
def test_holm_is_as_defined(p):
    """The smallest p times their number, the next times one less, none below one before it."""
    ranked = sorted(range(len(p)), key=p.__getitem__)
    expected, least = [0.0] * len(p), 0.0
    for k, place in enumerate(ranked):
        expected[place] = least = max(least, min(1, (len(p) - k) * p[place]))
    assert_allclose(holm(np.array(p)), expected)


def scores(n=30, k=4, seed=0, step=0.02):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.6, 0.9, n)[:, None]
    noise = rng.normal(0, 0.02, (n, k)) + step * np.arange(k)
    return pd.DataFrame((base + noise).round(3), columns=list("abcd")[:k])


@pytest.mark.parametrize("tasks", [10, 20, 30])
def test_p_values_are_scipys_on_many_tasks_and_exact_on_few(tasks):
    table = ours.compare_pairs(scores(tasks))
    row = table[(table["one"] == "a") & (table["other"] == "c")].iloc[0]
    gap = (scores(tasks)["a"] - scores(tasks)["c"]).round(12)
    assert row["p"] == wilcoxon(gap, correction=True, method="approx").pvalue
    assert (row["wins"], row["losses"]) == ((gap > 0).sum(), (gap < 0).sum())
    few = ours.compare_pairs(pd.DataFrame({"a": [0.5, 0.6, 0.7, 0.8, 0.9],
                                           "b": [0.4, 0.45, 0.4, 0.43, 0.41]}))
    assert few["p"].item() == pytest.approx(2 / 2**5)


def test_equal_methods_are_not_told_apart_and_last_bits_do_not_count():
    table = scores(k=2)
    table["b"] = table["a"] + 1e-15
    (row,) = ours.compare_pairs(table).to_dict("records")
    assert (row["p"], row["ties"]) == (1.0, 30)
    ranks = ours.mean_ranks(table)
    assert ranks.tolist() == [1.5, 1.5] and ours.draw_ranks(ranks, [list(ranks.index)]).axes


@given(seed=st.integers(0, 500), step=st.floats(0, 0.03))
@settings(max_examples=40, deadline=None)
def test_groups_are_all_maximal_runs_without_a_difference(seed, step):
    table = scores(seed=seed, step=step)
    pairs, ranks = ours.compare_pairs(table), ours.mean_ranks(table)
    differ = {frozenset((r.one, r.other)) for r in pairs.itertuples() if r.p_adjusted < 0.05}
    order = list(ranks.index)
    runs = [order[a:b] for a, b in combinations(range(5), 2) if b - a > 1
            and not any(frozenset(p) in differ for p in combinations(order[a:b], 2))]
    maximal = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert ours.similar_groups(ranks, pairs) == maximal


def test_practical_differences_know_better_equal_and_worse():
    table = scores(k=1).rename(columns={"a": "base"})
    table = table.assign(better=table["base"] + 0.1, same=table["base"] + 0.001,
                         worse=table["base"] - 0.1)
    found = ours.practical_differences(table, "base", draws=300).set_index("method")
    assert found.loc["better", ["wins", "p_better"]].tolist() == [30, 1]
    assert found.loc["same", ["ties", "p_equal"]].tolist() == [30, 1]
    assert found.loc["worse", ["losses", "p_worse"]].tolist() == [30, 1]
    again = ours.practical_differences(table, "base", draws=300).set_index("method")
    pd.testing.assert_frame_equal(found, again)
    with pytest.raises(ValueError, match="above 0"):
        ours.practical_differences(table, "base", rope=0)


def test_a_difference_as_large_as_the_rope_is_none_and_a_larger_one_is():
    """Also where it is not a number of binary digits: 0.51 less 0.5 is more than 0.01."""
    base = np.full(8, 0.5)
    table = pd.DataFrame({"base": base, "at": base + 0.01, "under": base - 0.01,
                          "beyond": base + 0.011, "below": base - 0.011})
    found = ours.practical_differences(table, "base", rope=0.01, draws=20).set_index("method")
    counts = found[["wins", "ties", "losses"]]
    assert counts.loc["at"].tolist() == counts.loc["under"].tolist() == [0, 8, 0]
    assert counts.loc["beyond"].tolist() == [8, 0, 0]
    assert counts.loc["below"].tolist() == [0, 0, 8]
