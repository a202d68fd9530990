"""The suite classic: the funnel that led to it, and the facts of the chapter."""

import pytest

from chapters.facts import as_texts
from chapters.suites import PERSON, PROGRAM, SHORT, compute, facts


@pytest.fixture(scope="module")
def classic():
    return compute()


def test_the_funnel_ends_in_the_suite(classic):
    funnel = classic.tables["classic_funnel"]
    assert funnel["left"].iloc[0] == 148 and funnel["left"].iloc[-1] == len(classic.suite.tasks)
    assert (funnel["left"].iloc[:-1].to_numpy() - funnel["left_out"].iloc[1:].to_numpy()
            == funnel["left"].iloc[1:].to_numpy()).all()


def test_facts_and_decisions_are_those_of_the_suite(classic):
    said = as_texts(facts(classic))
    assert said["candidates"] == "148" and said["members"] == str(len(classic.suite.tasks))
    by_hand = classic.tables["classic_funnel"].query("by == @PERSON")["left_out"].sum()
    assert int(said["passed"]) - int(said["members"]) == by_hand
    decided = classic.tables["classic_decisions"]
    assert decided["dataset"].is_unique and (decided["why"] != "").all()


def test_every_step_has_words_that_fit_a_figure(classic):
    funnel = classic.tables["classic_funnel"]
    assert funnel["words"].is_unique and funnel["words"].str.len().max() <= 26
    assert set(funnel["by"]) == {PROGRAM, PERSON, "nobody yet"} and len(SHORT) == 10
