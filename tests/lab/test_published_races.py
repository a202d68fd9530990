"""Successive halving on the published means, for the paper's groups."""

import pandas as pd
import pytest

from analysis.published.computed import NotAtHandError
from analysis.selection import PROCEDURES
from collection.containers.learner_names import LEARNERS
from lab.means import halve_published_means, paper_groups


def test_the_papers_groups_are_five_known_learners_each():
    groups = paper_groups()
    assert list(groups) == ["least", "most"]
    assert all(len(set(g)) == 5 and set(g) <= set(LEARNERS) for g in groups.values())
    assert not set(groups["least"]) & set(groups["most"])
    assert "LDA" in groups["most"]  # Figure 6


def test_halving_on_the_published_means():
    try:
        table = halve_published_means()
    except NotAtHandError as absent:
        pytest.skip(f"The published means are not beside the checkout: {absent}")
    assert set(table["procedure"]) == set(PROCEDURES) and set(table["datasets"]) == {72}
    rates = table.query("k == 2 and increase == 1").set_index(["procedure", "group", "start"])
    for procedure in PROCEDURES:
        for start in (16, 30, 59):
            least, most = (rates.loc[(procedure, g, start)] for g in ("least", "most"))
            assert most["regret"] > least["regret"]
            assert most["top_k_rate"] < least["top_k_rate"]
    assert pd.notna(table[["top_k_low", "top_k_high", "regret_low", "regret_high"]]).all(axis=None)
