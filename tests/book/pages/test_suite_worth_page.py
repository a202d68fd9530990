"""The page on how many tasks a benchmark needs: its ranks, and of what curves it can tell."""

import numpy as np
import pandas as pd
import pytest

from analysis.databases.load import load_curves
from analysis.leaderboards import suite_stability
from analysis.statistics import families

GIVEN = {"draws": 20}


def test_learners_are_compared_at_the_largest_size_that_most_reached(page):
    errors = load_curves("lcdb10", selection="paper")["error_rate"].sel(split="test").squeeze(
        ["scaling", "leakage"], drop=True).mean(["outer", "inner"]).load().sortby("learner")
    rows = {}
    for name in errors["dataset"].values:
        here = errors.sel(dataset=name).transpose("anchor", "learner").to_pandas()
        count = here.notna().sum(axis=1)
        rows[name] = here.loc[count.index[count == count.max()].max()].rank(na_option="bottom")
    ranks = pd.DataFrame(rows).T
    own = suite_stability(ranks.groupby(families(ranks.index)).mean(), draws=20)
    found = page.table("stability").query("source == 'LCDB 1.0'")
    np.testing.assert_allclose(found[own.columns], own)
    once = ranks.groupby(families(ranks.index)).mean()
    few = once[once.mean().sort_values().index[:5]].rank(axis=1)
    found = page.table("stability").query("source == 'LCDB 1.0, its leaders'")
    np.testing.assert_allclose(found["reliability"], suite_stability(few, draws=20)["reliability"])
    told = page.table("claims").query("claim == 'significant'")
    of_leaders = told["source"].str.endswith("leaders")
    for key, own in (("turned_leaders", told[of_leaders]), ("turned", told[~of_leaders])):
        assert page.numbers.loc[key, "value"] == pytest.approx(100 * own["reversed"].max())
    assert page.numbers.loc["draws", "value"] == 20 and "suffice" in page.said
