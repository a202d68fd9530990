"""What is kept, and the one command that writes it."""

import re

import pandas as pd
import pytest

from analysis.databases.paper_curves import chapter_database
from analysis.published.computed import FOLDER, NotAtHandError, keep, recall
from chapters import anew, recompute
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.sufficient import DatabaseStudy
from collection.project.naming import UnknownNameError
from collection.project.paths import ROOT


@pytest.fixture
def two(monkeypatch):
    """Two kept results, of which one needs curves that are not at hand."""
    def absent():
        raise NotAtHandError("get the curves")

    monkeypatch.setattr(recompute, "KEPT", {
        "here": lambda: pd.DataFrame({"share": [0.5]}), "away": absent})


def test_every_kept_result_can_be_computed_anew_and_no_other():
    kept = {p.stem for p in FOLDER.glob("*.csv")}
    simulated = {name for name in kept if name.startswith("calibration")}  # hours, by its command
    simulated |= {"versions"}  # of collections gathered in two environments
    simulated |= {"benchmarks"}  # seconds, by its command
    assert kept - simulated == set(recompute.KEPT)


def test_only_commands_keep_results():
    rooms = ("analysis", "benchmarks", "chapters", "lab", "book")
    keepers = {str(p.relative_to(ROOT)) for folder in rooms
               for p in (ROOT / folder).rglob("*.[pm][yd]")
               if re.search(r"published\.computed import .*\bkeep(_part)?\b", p.read_text())}
    assert keepers == {  # benchmarks write their own
        "chapters/recompute.py", "lab/versions.py", "lab/calibration/__main__.py"}


def test_what_has_changed_is_written_once(two, tmp_path):
    assert recompute.recompute(["here"], tmp_path) == {"here": "written"}
    assert recall("here", tmp_path)["share"].tolist() == [0.5]
    again = recompute.recompute((), tmp_path)
    assert again["here"] == "unchanged" and "get the curves" in again["away"]
    assert [p.name for p in tmp_path.iterdir()] == ["here.csv"]


def test_unknown_names_are_refused_before_anything_is_written(two, tmp_path, capsys):
    with pytest.raises(UnknownNameError, match="here"):
        recompute.recompute(["here", "hera"], tmp_path)
    assert not list(tmp_path.iterdir())
    assert recompute.main(["hera"]) == 2 and "here" in capsys.readouterr().err


def test_the_command_says_what_is_left(two, capsys):
    assert recompute.main(["away"]) == 0
    assert "left as it is: get the curves" in capsys.readouterr().out


def counting(note: str) -> Chapter:
    """A chapter whose one number is the length of the name of its database."""
    def facts(study):
        rows = Facts()
        rows.add("length", len(study.database), 3.0, 9.5, digits=1, unit="points", n=7)
        rows.add("name", study.database)
        return rows.table()

    return Chapter("counting", lambda: DatabaseStudy(chapter_database("lcdb10"), note, {}), facts)


def test_a_chapter_is_computed_on_other_curves_and_cited_beside_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE", "large_numbers")
    keep("anew_facts", anew.compute((counting(""),), "mini"), tmp_path)
    assert chapter_database("lcdb10") == "large_numbers"
    rows = Facts()
    rows.anew("counting", ["length"], recall("anew_facts", tmp_path))
    assert rows.table().drop(columns="note").iloc[0].tolist() == [
        "anew_length", 4, 3.0, 9.5, "points", 1, 7]
    with pytest.raises(KeyError, match="name"):
        rows.anew("counting", ["name"], recall("anew_facts", tmp_path))


def test_curves_that_lack_what_a_chapter_needs_are_not_shown_as_others():
    with pytest.raises(NotAtHandError, match="few"):
        anew.compute((counting("You asked for mini, but it has few."),), "mini")
