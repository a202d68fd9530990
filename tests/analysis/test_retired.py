"""Names of before work for two minor versions, and say what took their place."""

import importlib

import pandas as pd
import pytest

import analysis
import collection.reading
from analysis import leaderboards


@pytest.mark.parametrize(("room", "before", "now"), [
    ("report", "Answers", "Report"), ("statistics", "exact_ends", "exact_if_few"),
    ("databases", "main_curves", "paper_curves"), ("databases", "counted_once", "drop_copies")])
def test_a_renamed_function_is_found_by_both_names(room, before, now):
    module = importlib.import_module(f"analysis.{room}")
    with pytest.warns(DeprecationWarning, match=rf"{before} is called .*\.{now} now") as said:
        assert getattr(module, before) is getattr(module, now)
    assert said[0].filename == __file__ and before not in dir(module)
    with pytest.raises(AttributeError):
        module.no_such_name  # noqa: B018


def test_a_room_that_moved_is_found_where_it_was():
    with pytest.warns(DeprecationWarning, match=r"analysis\.reading is called collection\.reading"):
        assert analysis.reading is collection.reading


def test_a_renamed_column_is_found_by_both_names():
    table = pd.DataFrame({"task": [*"abcdefg"] * 2, "method": ["x"] * 7 + ["y"] * 7,
                          "error": [0.1, 0.2, 0.3, 0.2, 0.1, 0.3, 0.4, *[0.5] * 7]})
    found = leaderboards.order(table, 50, lower_is_better=True)
    with pytest.warns(DeprecationWarning, match="sensitive_to"):
        assert found.hangs_on is found.sensitive_to
