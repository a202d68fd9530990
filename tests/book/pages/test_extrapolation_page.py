"""The page on the trial: its numbers are of the trial, with an entry of one's own as well."""

import pytest
from notebook_runs import run

from analysis.trial import all_forecasts, by_family, open_trial, scopes, score
from analysis.trial.scoring import STAYS, UNSEEN


@pytest.fixture(scope="module")
def last():
    scores = score(all_forecasts(), open_trial())
    return scores[scores["times"] == "last"]


@pytest.fixture(scope="module")
def page(tmp_path_factory, last):
    """The page with an entry that says what "nothing changes" says, and with another reach."""
    folder = tmp_path_factory.mktemp("page")
    own = all_forecasts().query("rival == @STAYS")[["task", "times", "0.5"]]
    own.rename(columns={"0.5": "value"}).to_csv(folder / "own.csv", index=False)
    return run("extrapolation", folder, entry="own.csv", far=16)


def test_numbers_are_of_the_whole_range_and_of_the_same_families(page, last):
    crps = by_family(last[scopes(last)[UNSEEN]], "crps")
    for key, one, other in (("crps_three", "boosted, alone", "mean of three"),
                            ("crps_stays", "boosted, alone", STAYS)):
        found = page.numbers.loc[key]
        assert found["value"] == pytest.approx(crps[one].sum() / crps[other].sum(), rel=1e-6)
        assert found["low"] < found["value"] < found["high"] and found["n"] == len(crps)


def test_an_entry_stands_where_its_forecasts_do(page):
    at = page.table("standing").set_index("rival")
    assert at.loc["your entry", "error"] == pytest.approx(at.loc[STAYS, "error"])
    assert set(at.index[at["what it sees"] != "the curve alone"]) == {"boosted"}
    assert {"your entry"} <= set(page.table("held")["rival"]) & set(page.table("sources")["rival"])


def test_a_process_given_the_ranges_of_formulas_keeps_its_points(page):
    """Its own ranges hold half of what they promise; with those of formulas its CRPS is lower."""
    at = page.table("standing").set_index("rival")
    raw, mended = at.loc["GP power law"], at.loc["GP power law, calibrated"]
    assert mended["error"] == pytest.approx(raw["error"], abs=1e-3)
    assert raw["inside"] < 0.6 < 0.75 < mended["inside"] and mended["crps"] < raw["crps"]


def test_beyond_another_reach_another_sentence(page):
    assert "Beyond 16 times what was seen" in page.said
