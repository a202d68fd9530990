"""The chapters run on curves of the reader's own, few as they may be, or say what is lacking."""

import re

import pytest
from chapter_runs import copy_book, run_chapter, shown_text

from analysis.commands import main
from chapters import sufficient


def gathered(folder, datasets, learners):
    assert main(["collect", f"DATASETS={datasets}", f"LEARNERS={learners}", "OUTER=0 1",
                 "INNER=0 1", "WORKERS=1", f"OUT={folder}"]) == 0
    return str(folder)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Curves of two learners on two datasets."""
    return gathered(tmp_path_factory.mktemp("own") / "curves", "sklearn:iris sklearn:wine",
                    "KNN LDA")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The curves of one learner on one dataset, from a folder of its source."""
    return gathered(tmp_path_factory.mktemp("alone") / "curves", "keel:imbalanced/pima", "KNN")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book whose DA3 and DA4 fall back on the smaller `mini`."""
    copy = copy_book(tmp_path_factory.mktemp("book"))
    for file, old, new in (
            ("da3/__init__", 'sufficient_database("lcdb10"', 'sufficient_database("mini"'),
            ("da4/__init__", 'sufficient_database("lcdb10"', 'sufficient_database("mini"')):
        code = copy / "chapters" / f"{file}.py"
        text = code.read_text()
        assert old in text
        code.write_text(text.replace(old, new))
    return copy


@pytest.mark.parametrize("chapter", ["da2", "leakage", "performance", "da3", "da4"])
def test_chapters_run_on_few_curves_and_glue_what_they_cite(copy, alone, chapter):
    notebook = run_chapter(copy, chapter, alone)
    assert alone in shown_text(notebook)
    glued = {o["metadata"]["scrapbook"]["name"] for cell in notebook.cells
             for o in cell.get("outputs", []) if "scrapbook" in o.get("metadata", {})}
    page = (copy / "book" / f"{chapter}.md").read_text()
    cited = set(re.findall(r"\{glue:text\}`([^`]+)`", page))
    assert cited <= glued, cited - glued


def test_means_only_are_not_enough(own, monkeypatch):
    means = sufficient.load_curves(own).mean(["outer", "inner"])
    monkeypatch.setattr(sufficient, "load_curves", lambda name: means)
    monkeypatch.setenv("DATABASE", "means")
    database, note = sufficient.sufficient_database("lcdb10", pytest.fail)
    assert database == "lcdb10" and "it has means only, and this takes the repeats" in note


def test_what_is_lacking_is_said_in_numbers(own):
    assert sufficient.lacks_shapes(own) == (
        "it has 0 non-monotone curves and 4 others, and a comparison needs 10 of each")
    assert sufficient.lacks_both(own, "leakage") == (
        "it has 0 datasets with curves under every leakage, and this takes two")
    assert not sufficient.lacks_both("mini", "leakage")
    assert not sufficient.lacks_both("mini", "scaling")
    assert sufficient.lacks_ranking(own) == (
        "it has 2 learners on 2 datasets, and a ranking needs two on 5")
    assert not sufficient.lacks_ranking("mini")
    assert sufficient.lacks_races(own) == (
        "it has 2 learners on 2 datasets, and races between groups of learners need 6 on 5")
    assert not sufficient.lacks_races("mini") and not sufficient.lacks_shapes("mini")


def test_a_chapter_shows_its_default_where_the_readers_curves_are_too_few(own, monkeypatch):
    monkeypatch.delenv("DATABASE", raising=False)
    assert sufficient.sufficient_database("lcdb10", pytest.fail) == ("lcdb10", "")
    monkeypatch.setenv("DATABASE", own)
    assert sufficient.sufficient_database("lcdb10", lambda name: "") == (own, "")
    database, note = sufficient.sufficient_database("lcdb10", sufficient.lacks_races)
    assert database == "lcdb10" and note.startswith(f"You asked for {own}, but it has 2 learners")
    assert note.endswith("shows LCDB 1.0 instead.")


def test_curves_with_scaling_alone_lack_those_without(monkeypatch):
    errors = sufficient.validation_errors("mini").sel(scaling=["minmax"])
    monkeypatch.setattr(sufficient, "validation_errors", lambda name: errors)
    assert sufficient.lacks_shapes("mini") == "it has no curves without scaling"
