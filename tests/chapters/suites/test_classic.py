"""The suite classic: the funnel that led to it, its duplicates, the facts of the chapter."""

import pandas as pd
import pytest

from chapters.facts import as_texts
from chapters.suites.study import board_in_words, facts, study, suite_funnel, telling_pairs
from collection.suites.specs import find_suite


@pytest.fixture(scope="module")
def classic():
    return study()


def test_the_funnel_ends_in_the_suite():
    suite = find_suite("classic")
    funnel = suite_funnel(suite)
    assert funnel["left"].iloc[0] == 148 and funnel["left"].iloc[-1] == len(suite.tasks)
    assert (funnel["left"].iloc[:-1].to_numpy() - funnel["left_out"].iloc[1:].to_numpy()
            == funnel["left"].iloc[1:].to_numpy()).all()


def test_versions_by_number_are_not_shown_one_by_one():
    pairs = pd.DataFrame({"dataset": ["keel:glass0", "keel:iris", "keel:ecoli-0_vs_1"],
                          "twin": ["keel:glass-6", "keel:iris0", "keel:ecoli1"]})
    assert telling_pairs(pairs)["dataset"].tolist() == ["keel:iris"]


def test_the_best_is_the_one_of_the_test_that_is_cited(classic):
    said = as_texts(facts(classic))
    ranks = classic.ranks.ranks
    assert said["best"] == ranks["method"][0] == "ensemble of extra trees"
    level = [set(ranks["letters"][0]) & set(letters) != set() for letters in ranks["letters"][1:]]
    assert said["level"] == str(sum(level)) and said["finished"] == "23"


def test_the_board_names_learners_in_words(classic):
    table = board_in_words(classic.board)
    assert "multilayer perceptron" in set(table["learner"]) and table["elo"].dtype == int
