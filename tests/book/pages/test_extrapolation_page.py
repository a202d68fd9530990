"""The page on the trial: its numbers are of the trial."""

import pytest

from analysis.trial import by_family, open_forecasts, open_trial, scopes, score
from analysis.trial.tasks import STAYS, UNSEEN


@pytest.fixture(scope="module")
def last():
    scores = score(open_forecasts(), open_trial())
    return scores[scores["times"] == "last"]


GIVEN = {"far": 16}


def test_numbers_are_of_the_whole_range_and_of_the_same_families(page, last):
    crps = by_family(last[scopes(last)[UNSEEN]], "crps")
    for key, one, other in (("crps_three", "boosted, alone", "mean of three"),
                            ("crps_stays", "boosted, alone", STAYS)):
        found = page.numbers.loc[key]
        assert found["value"] == pytest.approx(crps[one].sum() / crps[other].sum(), rel=1e-6)
        assert found["low"] < found["value"] < found["high"] and found["n"] == len(crps)


def test_a_process_given_the_ranges_of_formulas_keeps_its_points(page):
    """Its own ranges hold half of what they promise; with those of formulas its CRPS is lower."""
    at = page.table("standing").set_index("rival")
    assert set(at.index[at["what it sees"] != "the curve alone"]) == {"boosted"}
    raw, mended = at.loc["GP power law"], at.loc["GP power law, calibrated"]
    assert mended["error"] == pytest.approx(raw["error"], abs=1e-3)
    assert raw["inside"] < 0.6 < 0.75 < mended["inside"] and mended["crps"] < raw["crps"]


def test_beyond_another_reach_another_sentence(page):
    assert "Beyond 16 times what was seen" in page.said
