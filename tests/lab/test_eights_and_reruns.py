"""Stored studies: their best methods alone, and what ships of reruns is what comes out."""

import re

import pandas as pd

from analysis.leaderboards import method_words
from collection.project.paths import ROOT
from commands.order.reruns import STORED
from lab import reruns
from lab.automl import SECONDS
from lab.studies import EIGHT, EIGHTS, FRAMEWORKS, cells_of, eights


def test_the_best_eight_and_eights_at_random_are_ordered_alone():
    found = eights("num_embeddings").set_index("of")
    assert (found.loc[["best", "middle"], "neighbours"] == EIGHT - 1).all()
    assert found.loc["random", "neighbours"] == EIGHTS * (EIGHT - 1)
    assert (found["neighbours_apart"] <= found["neighbours"]).all()
    assert (found["families"] == len(cells_of("num_embeddings").families)).all()
    assert eights("rtdl_2021").empty  # twelve methods


def test_what_ships_is_what_the_studies_give():
    found = reruns.stored_reruns()
    kept = pd.read_csv(STORED)
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5)
    assert (found["one"] != found["other"]).all() and found["deviations"].notna().all()


HONEST = re.compile(r"[\w .-]+ \((ensemble|single model), (\d+) (s|min|h), (\d+) cores?\)")
STATED = re.compile(r"_(\d+)h(\d+)c_")  # hours and cores in the names of the files


def test_words_say_what_a_run_was_given():
    for own, words in FRAMEWORKS.items():
        kind, time, unit, cores = HONEST.fullmatch(words).groups()
        assert STATED.search(own).groups() == (time, cores) and unit == "h"
        assert not own.endswith("_single") or kind == "single model"
    assert len(set(FRAMEWORKS.values())) == len(FRAMEWORKS)
    page = (ROOT / "book" / "repository.md").read_text()
    assert re.search(r'"AutoGluon (\(.*?\))"', page)[1] == f"(ensemble, {SECONDS} s, 1 core)"


def test_every_chapter_has_the_same_words_for_a_run():
    computed = ROOT / "book" / "computed"
    systems = pd.read_csv(computed / "suites_amlb_systems.csv")["method"]
    ranks = pd.read_csv(computed / "order_ranks.csv").query("study == 'automl_2022'")
    assert set(systems) == set(FRAMEWORKS.values()) == set(ranks["words"])
    assert (ranks["words"] == ranks["method"].map(FRAMEWORKS)).all()
    known = method_words("automl_2022") | FRAMEWORKS  # theirs before those that studies share
    assert (ranks["words"] == ranks["method"].map(known)).all()
    pages = {name: (ROOT / "book" / f"{name}.md").read_text() for name in (
        "order", "suite_worth", "small_data", "repository")}
    loose = re.compile(r"AutoGluon(?:, with [^,]+,| \(\d+ h\)| \(single model\))")
    assert not {name: found for name, text in pages.items() if (found := loose.findall(text))}
