"""The page on how a suite is made: every step has its words, and the steps end in the suite."""

import pandas as pd
from notebook_runs import run

from analysis.published import recall


def test_the_funnel_ends_in_the_suite(tmp_path):
    page, known = run("suites", tmp_path, sources=["sklearn"]), recall("suites_classic")
    own = known[known["dataset"].str.startswith("sklearn:")]
    funnel = page.table("classic_funnel")
    assert funnel["left"].iloc[0] == len(own) and set(known["step"].dropna()) < set(funnel["step"])
    assert funnel["left"].iloc[-1] == own["step"].isna().sum() == page.numbers["value"]["members"]
    assert (funnel["left"].diff()[1:] == -funnel["left_out"][1:]).all()
    asked = funnel.loc[funnel["by"] == "a person", "step"]
    assert set(known.dropna(subset="criterion")["step"]) == set(asked)
    decided = page.table("classic_decisions")
    pd.testing.assert_series_equal(decided["why"], own["why"].dropna(), check_index=False)


def test_a_source_without_candidates_lacks_them(tmp_path):
    assert "comes from openml" in run("suites", tmp_path, sources=["openml"]).said
