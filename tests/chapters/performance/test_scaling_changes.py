"""Scaling against none, by dataset; nothing where there is nothing to compare."""

import pandas as pd
import pytest

from chapters.performance.performance import scaling_changes

BEST = pd.DataFrame({
    "dataset": ["a", "a", "b", "b", "c"], "learner": ["KNN"] * 5,
    "scaling": ["none", "minmax", "none", "minmax", "minmax"],
    "test": [0.30, 0.20, 0.10, 0.14, 0.9]})


def test_only_datasets_with_both_count():
    (row,) = scaling_changes(BEST).to_dict("records")
    assert row == {"learner": "KNN", "scaling": "minmax", "points": pytest.approx(-3),
                   "datasets": 2}


def test_without_another_scaling_there_are_no_rows():
    assert scaling_changes(BEST[BEST["scaling"] == "none"]).empty
