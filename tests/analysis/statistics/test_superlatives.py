"""Superlatives come from fair comparisons only."""

import numpy as np
import pandas as pd
import pytest

from analysis.statistics import headlines, leaders


def contest(**errors):
    """A row per contender and dataset; None: it lacks that dataset."""
    return pd.DataFrame([(name, k, value) for name, values in errors.items()
                         for k, value in enumerate(values) if value is not None],
                        columns=["learner", "dataset", "test"])


def test_an_unequal_comparison_is_made_equal():
    hard = contest(A=[0.1] * 10 + [None], B=[0.05] * 10 + [0.9])
    fair = headlines.leader_if_fair(hard, "test", "learner")
    assert (fair.name, fair.n, fair.rivals) == ("B", 10, ())
    assert fair.doubt == "ahead of the other"


def test_fewer_than_five_common_datasets_crown_nobody():
    few = contest(A=[0.1] * 4, B=[0.2] * 4)
    assert headlines.leader_if_fair(few, "test", "learner") is None
    apart = contest(A=[0.1] * 5 + [None] * 5, B=[None] * 5 + [0.1] * 5)
    assert headlines.leader_if_fair(apart, "test", "learner") is None
    unknown = contest(A=[0.1] * 9 + [np.nan], B=[0.2] * 10)
    assert headlines.leader_if_fair(unknown, "test", "learner") is None
    enough = contest(A=[0.1] * 5, B=[0.2] * 5)
    assert headlines.leader_if_fair(enough, "test", "learner").name == "A"


def test_those_with_few_datasets_are_left_out_before_the_others_are_cut_down():
    rows = contest(A=[0.1] * 10, B=[0.2] * 9 + [None], C=[0.0] + [None] * 9)
    kept = headlines.comparable_rows(rows, "learner")
    assert set(kept["learner"]) == {"A", "B"} and kept["dataset"].nunique() == 9


def test_a_rival_is_who_cannot_be_told_apart():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.05, 12)
    rows = contest(A=[0.2] * 12, B=list(0.205 + noise), C=[0.4] * 12)
    first = headlines.leader_if_fair(rows, "test", "learner")
    assert first.contenders == 3 and "C" not in first.rivals and len(first.rivals) == 1
    assert first.doubt == "not clearly ahead of 1 of the 2 others"


def test_who_was_left_out_is_named_with_what_it_does_against_the_leader():
    rows = contest(A=[0.20] * 10, B=[0.3] * 10, few=[0.1 + 0.01 * k for k in range(6)] + [None] * 4,
                   worse=[0.4] * 7 + [None] * 3, two=[0.0] * 2 + [None] * 8)
    first = headlines.leader_if_fair(rows, "test", "learner")
    found = headlines.excluded(rows, "test", "learner", first)
    assert first.name == "A" and [x.name for x in found] == ["few", "worse", "two"]
    few, worse, two = found
    assert few.beats and not worse.beats and not two.beats
    assert few.gap == pytest.approx(0.125 - 0.2) and few.n == 6
    assert two.n == 2 and np.isnan(two.gap)
    points = [one._replace(gap=100 * one.gap) for one in found]
    assert headlines.left_out(points, str.upper) == (
        "FEW, 7.5 points better on 6 common datasets; 2 that did worse or share too few datasets")
    assert headlines.left_out([], str) == "nobody"


def test_those_chosen_elsewhere_are_counted_here():
    cases = pd.DataFrame([(k, name, name == "A" or k == 0, 1) for k in range(4) for name in "ABC"],
                         columns=["dataset", "learner", "bad", "there"]).astype({"bad": int})
    assert leaders(cases, "bad", "there", k=1).names == ["A"]
    found = leaders(cases, "bad", "there", names=["B"])
    assert (found.names, found.share.value) == (["B"], pytest.approx(100 / 6))
