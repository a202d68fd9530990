"""The chapter's facts are those of the tables that are kept."""

import pytest

from analysis.calibration.recommend import believed, called
from analysis.published.computed import recall
from chapters.trust import study


@pytest.fixture(scope="module")
def found():
    return study.study()


def test_facts_hold_what_is_kept(found):
    facts = study.facts(found).set_index("key")
    kept = recall("trust_prevalence").query(
        "pool == 'real residuals' and seen_by == 'both' and learner == 'all'"
        " and min_violation == 0.02").iloc[0]
    assert facts.loc["true_all", "value"] == kept["share"] == believed()["rate"]
    assert kept["low"] <= kept["share"] <= kept["high"]
    assert facts.loc["true_least", "value"] <= kept["share"] <= facts.loc["true_most", "value"]
    leaders, rest = (facts.loc[key, "value"] for key in ("true_leaders", "true_rest"))
    assert rest < kept["share"] < leaders
    assert (leaders * 3 + rest * 17) / 20 == pytest.approx(kept["share"], rel=1e-4)


def test_the_noise_example_is_not_the_mildest_learner(found):
    facts = study.facts(found).set_index("key")
    noise = recall("calibration").query(
        "procedure == 'published' and verdict == 'ill_behaved' and rows == 1000 and repeats == 25"
        " and truth in ['noise_labels', 'neighbour_on_noise', 'least_squares_on_noise']"
        " and per_doubling == 2")
    assert facts.loc["noise_least", "value"] == noise["rate"].min()
    assert facts.loc["noise_most", "value"] == noise["rate"].max()


def test_levels_and_power_are_of_grids_that_databases_have(found):
    facts = study.facts(found).set_index("key")
    assert facts.loc[["anchors", "anchors_fine"], "value"].tolist() == [12, 46]
    cells = found["calibration"].query("rows == 1000 and repeats == 25 and procedure == 'published'"
                                       " and generator == 'drawn, dataset'")
    for end, anchors in (("", 12), ("_fine", 46)):
        here = cells[cells["anchors"] == anchors].set_index(["truth", "size", "verdict"])["rate"]
        assert facts.loc[f"flat{end}", "value"] == here["flat", 0, "ill_behaved"]
        assert facts.loc[f"peaks_published{end}", "value"] == here["peak", 0.05, "peaking"]
    grids = ["LCDB 1.0's, 12 anchors", "LCDB 1.1's, 46 anchors"]
    for table in (study.levels_in_words(found), study.recommended_in_words(found),
                  study.confirmed_in_words(found)):
        assert table["grid"].drop_duplicates().tolist() == grids
    assert {12, 46} <= set(study.smallest_in_words(found)["anchors"])


def test_calls_are_looked_up_by_procedure():
    row = called("max_t")
    assert row["low"] < row["rate"] < row["high"]
    with pytest.raises(KeyError):
        called("nobody")
