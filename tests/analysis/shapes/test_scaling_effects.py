"""What scaling does to shapes, paired by dataset."""

import numpy as np
import pytest
from curve_examples import labelled
from scipy.stats import norm

from analysis.published.printed import like_for_like, published_table
from analysis.shapes import treatments as scaling
from analysis.shapes.rates import counted
from collection.containers.curves import SCALINGS

ANCHORS = [16, 18, 20, 23, 25, 28]


@pytest.fixture(scope="module")
def valid():
    """Eight datasets: LDA never moves, MLP's bump goes and NearestCentroid's comes with minmax.

    Ridge has no curve with standardisation; LDA was not gathered on the last dataset.
    """
    rng = np.random.default_rng(0)
    learners = ["LDA", "MLP", "NearestCentroid", "RidgeClassifier", "DummyClassifier"]
    convex = np.array([0.6, 0.48, 0.4, 0.35, 0.32, 0.3])
    base = convex + 0.01 * rng.standard_normal((8, 5, 1, 5, 5, 6))
    values = np.repeat(base, 3, axis=2)
    values[:, learners.index("MLP"), [0, 2], ..., 3] += 0.3
    values[:, learners.index("NearestCentroid"), 1, ..., 3] += 0.3
    values[:, learners.index("RidgeClassifier"), 2] = np.nan
    values[7, learners.index("LDA")] = np.nan
    names = [f"d{k}" for k in range(8)]
    return labelled(values, "dataset learner scaling outer inner anchor", dataset=names,
                    learner=learners, scaling=list(SCALINGS), anchor=ANCHORS).rename("error_rate")


@pytest.fixture(scope="module")
def table(valid):
    return scaling.judge_scalings(valid)


@pytest.fixture(scope="module")
def paired(table):
    return scaling.paired_effects(table).set_index(["learner", "scaling", "measure"])


def test_pairs_that_were_not_gathered_are_no_missing_curves(table):
    lda = table[table["learner"] == "LDA"]
    assert len(lda) == 7 * 3 and not lda["missing"].any()
    ridge = table[(table["learner"] == "RidgeClassifier") & (table["scaling"] == "standard")]
    assert len(ridge) == 8 and ridge["missing"].all()
    assert list(table["scaling"].unique()) == list(SCALINGS)
    assert "DummyClassifier" not in set(counted(table)["learner"])


def test_effects_have_the_right_direction(paired):
    ill = paired.xs("ill_behaved", level="measure")
    assert ill.loc[("MLP", "minmax"), ["difference", "low", "high"]].tolist() == [-100] * 3
    assert ill.loc[("MLP", "minmax"), "effect"] == "better"
    assert ill.loc[("MLP", "standard"), "effect"] == "no change"
    assert ill.loc[("NearestCentroid", "minmax"), "effect"] == "worse"
    moved = ill[ill["difference"] != 0]
    assert (moved["n_changed"] > 0).all() and moved["p"].between(0, 1).all()
    still = ill[(ill["better"] == 0) & (ill["worse"] == 0)]
    assert (still["n_changed"] == 0).all() and still["p"].isna().all()
    size = paired.xs("violation", level="measure")
    assert size.loc[("MLP", "minmax"), "difference"] < -20
    assert size.loc[("LDA", "minmax"), "effect"] == "no change"


def test_a_curve_missing_under_a_scaling_is_not_compared(paired):
    assert ("RidgeClassifier", "standard", "violation") not in paired.index
    assert paired.loc[("RidgeClassifier", "minmax", "violation"), "n_pairs"] == 8
    for how in SCALINGS[1:]:  # over all, the same curves for both
        assert paired.loc[("all", how, "violation"), "n_pairs"] == 7 + 8 + 8


@pytest.mark.parametrize(("name", "found"), [
    ("better", (-2, -3, -1, True)), ("worse", (2, 1, 3, True)), ("unclear", (-2, -5, 1, True)),
    ("negligible", (-0.1, -0.2, -0.05, True)), ("no change", (0, 0, 0, False))])
def test_effects_are_named_by_interval_and_size(name, found):
    assert scaling.name_effect(*found) == name


def test_the_papers_rates_over_the_same_learners():
    like = like_for_like().set_index(["database", "scaling"])
    full = like.loc["LCDB 1.1 FULL"]
    assert full.loc["none", "printed"] == 15.4
    each = published_table("table8").query("database == 'LCDB 1.1 FULL' and scaling == 'none' "
                                           "and property == 'ill_behaved'").set_index("learner")
    learners = each["value"].drop(["DummyClassifier", "MultinomialNB", "ComplementNB"])
    learners = learners[~learners.index.str.startswith("Mix")]
    assert full.loc["none", "always_there"] == pytest.approx(learners.mean())
    # Scaled, Table 4 counts these 23 itself, so the two agree up to the rounding of each.
    scaled = full.loc[["minmax", "standard"]]
    assert (abs(scaled["printed"] - scaled["same_learners"]) < 0.1).all()
    missing = published_table("table8").query("property == 'missing' and learner == 'ComplementNB'")
    assert missing["value"].max() == 100


def test_shares_of_table_8_are_tested_as_two_samples():
    """The test is that of two proportions by the normal approximation with a common variance."""
    table = scaling.table8_tests("LCDB 1.1 FULL", 265).set_index(["learner", "scaling"])
    for (learner, name), row in table.iterrows():
        shares = row[["ill_without", "ill_with"]].to_numpy(float)
        there = row[["there_without", "there_with"]].to_numpy(float)
        assert np.abs(100 * shares / 265 - row[["without", "with"]].to_numpy(float)).max() < 0.051
        common = shares.sum() / there.sum()
        if 0 < common < 1:
            z = np.diff(shares / there)[0] / np.sqrt(common * (1 - common) * (1 / there).sum())
            assert row["p"] == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9), (learner, name)
    naive = 1 - (1 - np.sort(table["p"])[0]) ** len(table)
    assert table["p_holm"].min() == pytest.approx(naive, rel=0.01)
    # Standardised features are negative, which these two refuse: nothing is left to compare.
    assert ("MultinomialNB", "standard") not in table.index
    assert (table.loc[("DummyClassifier", "minmax"), ["difference", "p"]] == [0, 1]).all()
