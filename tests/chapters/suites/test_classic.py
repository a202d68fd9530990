"""The suite classic: the funnel that led to it, and the facts of the chapter."""

import pandas as pd
import pytest

from chapters.facts import as_texts
from chapters.suites import PERSON, PROGRAM, SHORT, Study, facts, suite_funnel, tables
from collection.suites.specs import find_suite


@pytest.fixture(scope="module")
def classic():
    suite = find_suite("classic")
    pairs = pd.DataFrame({"dataset": ["keel:iris"], "twin": ["sklearn:iris"], "kind": ["copy"]})
    return Study(suite, suite_funnel(suite), pairs, "2026-01-01")


def test_the_funnel_ends_in_the_suite(classic):
    funnel = classic.funnel
    assert funnel["left"].iloc[0] == 148 and funnel["left"].iloc[-1] == len(classic.suite.tasks)
    assert (funnel["left"].iloc[:-1].to_numpy() - funnel["left_out"].iloc[1:].to_numpy()
            == funnel["left"].iloc[1:].to_numpy()).all()


def test_facts_and_decisions_are_those_of_the_suite(classic):
    said = as_texts(facts(classic))
    assert said["candidates"] == "148" and said["members"] == str(len(classic.suite.tasks))
    by_hand = classic.funnel.loc[classic.funnel["by"] == PERSON, "left_out"].sum()
    assert int(said["passed"]) - int(said["members"]) == by_hand
    decided = tables(classic)["classic_decisions"]
    assert decided["dataset"].is_unique and (decided["why"] != "").all()


def test_every_step_has_words_that_fit_a_figure(classic):
    funnel = tables(classic)["classic_funnel"]
    assert funnel["words"].is_unique and funnel["words"].str.len().max() <= 26
    assert set(funnel["by"]) == {PROGRAM, PERSON, "nobody yet"} and len(SHORT) == 10
