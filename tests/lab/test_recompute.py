"""What is kept, and the one command that writes it."""

import re

import pandas as pd
import pytest

from analysis.published.computed import FOLDER, NotAtHandError, recall
from collection.project.naming import UnknownNameError
from collection.project.paths import ROOT
from lab import recompute
from lab.anew import numbers_on


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
    simulated |= {"benchmarks"}  # seconds, by its command
    assert kept - simulated == set(recompute.KEPT)


def test_only_commands_keep_results():
    rooms = ("analysis", "benchmarks", "commands", "lab", "book")
    keepers = {str(p.relative_to(ROOT)) for folder in rooms
               for p in (ROOT / folder).rglob("*.[pm][yd]")
               if re.search(r"published\.computed import .*\bkeep(_part)?\b", p.read_text())}
    assert keepers == {  # benchmarks write their own
        "lab/recompute.py", "lab/calibration/__main__.py"}


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


def test_pages_run_on_other_curves_and_their_numbers_are_kept():
    kept = numbers_on("mini", ["leakage"])
    assert set(kept["chapter"]) == {"leakage"} and "n_curves" in set(kept["key"])
    assert kept["value"].notna().all() and "title" not in set(kept["key"])  # words are not kept
