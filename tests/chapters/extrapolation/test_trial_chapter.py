"""The chapter on the trial: what papers print comes out, and its sentences are of the trial."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from analysis.published.computed import recall
from analysis.published.printed import EQUAL
from analysis.trial.scoring import STAYS, by_family
from chapters.extrapolation import ALONE, CONTRASTS, compute, facts, ratio
from chapters.extrapolation.published import _harvey, _scaling, count_verdicts


@pytest.fixture(scope="module")
def study():
    return compute()


@pytest.fixture
def at_hand(published, monkeypatch):
    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(published))


def test_published_errors_come_out(at_hand):
    """21 of 24 power laws, all but one law on the 92 tasks; what is kept is what comes out."""
    harvey, scaling = _harvey(), _scaling()
    law = harvey[harvey["item"].str.startswith("power law")]
    assert (abs(law["published"].astype(float) - law["ours"]) <= 0.0021).sum() == 21
    assert_allclose(scaling["ours"], scaling["published"].astype(float), atol=6e-4)
    kept = recall("trial_published").set_index("item")
    for table in (harvey, scaling):
        assert_allclose(kept.loc[table["item"], "ours"], table["ours"], atol=1e-4)


def test_the_thesis_comes_out_as_printed(study):
    kept = recall("trial_published").query("source == 'Cazacu 2025'")
    assert len(kept) == 3 and (kept["n"] >= 700).all()
    assert (kept["verdict"] == EQUAL).all()
    every = study.tables["published"]
    assert count_verdicts(every)["numbers"].sum() == len(every) == 63
    assert (every["reason"].ne("") == every["verdict"].ne(EQUAL)).all()


def test_a_ratio_is_of_families_that_both_have(study):
    last = study.scores[(study.scores["times"] == "last") & (study.scores["source"] == "lcdb10")]
    found, means = ratio(last, ALONE, STAYS), by_family(last, "error")
    assert found.value == pytest.approx(means[ALONE].sum() / means[STAYS].sum())
    assert found.low < found.value < found.high and found.n == len(means)
    one = ratio(last[last["family"] == last["family"].iloc[0]], ALONE, STAYS)
    assert np.isnan([one.low, one.high]).all()


def test_the_choice_of_one_forecaster_is_of_the_trial(study):
    """Trees are hardly told from their mean with networks."""
    found = facts(study).set_index("key")
    for key in ("choice_neighbours", "choice_alone"):
        assert found.loc[key, "low"] < 0.15 and abs(found.loc[key, "value"]) < 0.1
    assert abs(found.loc["choice_small", "value"]) < 0.2
    last = study.scores[(study.scores["times"] == "last")
                        & study.scores["source"].isin(["lcdb11", "mini"])]
    means = 100 * by_family(last, "crps")
    own = (means["boosted"] - means["combined"]).dropna()
    assert found.loc["choice_neighbours", "value"] == pytest.approx(own.mean())


def test_contrasts_are_of_the_whole_range_and_of_the_same_families(study):
    last = study.scores[(study.scores["times"] == "last")
                        & study.scores["source"].isin(["lcdb11", "mini"])]
    means, found = by_family(last, "crps"), facts(study).set_index("key")
    for rival, key in CONTRASTS.items():
        row = found.loc[f"crps_{key}"]
        assert row["value"] == pytest.approx(means[ALONE].sum() / means[rival].sum(), rel=1e-6)
        assert row["low"] < row["value"] < row["high"] and row["n"] == len(means)
    assert study.tables["standing"]["n_families"].nunique() == 1


def test_a_process_given_the_ranges_of_formulas_keeps_its_points(study):
    """Its own ranges hold half of what they promise; with those of formulas its CRPS is lower."""
    at = study.tables["standing"].set_index("rival")
    raw, mended = at.loc["GP power law"], at.loc["GP power law, calibrated"]
    assert mended["error"] == pytest.approx(raw["error"], abs=1e-3)
    assert raw["inside"] < 0.6 < 0.75 < mended["inside"] and mended["crps"] < raw["crps"]


def test_whoever_sees_one_curve_alone_is_drawn_so(study):
    sees = study.tables["standing"].set_index("rival")["what it sees"]
    assert set(sees.index[sees != "the curve alone"]) == {"boosted"}
