"""What the chapter says of curves to 100,000 rows: on curves whose truth is known."""

import numpy as np
import pandas as pd
import pytest
from curve_examples import labelled

from chapters import beyond as study
from chapters.beyond import curves

ANCHORS = np.array([2**k for k in range(4, 19)])


def errors_of(truth, noise=0.0, repeats=5, names=("a", "b")):
    """Return errors of true curves (role → error at `ANCHORS`) on tables that differ in scale."""
    rng = np.random.default_rng(0)
    shape = (len(names), len(truth), repeats, 2, len(ANCHORS), 2)
    true = np.multiply.outer(1.1 ** np.arange(len(names)), np.stack([*truth.values()]))
    values = true[:, :, None, None, :, None] * np.exp(noise * rng.normal(size=shape))
    known = ("learner", [curves.ROLES[role][0] for role in truth])
    return labelled(values, "dataset learner outer inner anchor split", dataset=list(names),
                    learner=list(truth), anchor=ANCHORS, split=["valid", "test"], known=known)


def power(exponent, at=1.0):
    return at * (ANCHORS / ANCHORS[0]) ** -float(exponent)


CURVES = {curves.BASELINE: np.full(len(ANCHORS), 1.0), curves.LINEAR: np.full(len(ANCHORS), 0.3),
          curves.BOOSTED: power(0.25), curves.TREE: 0.9 * power(0.1)}


@pytest.fixture(scope="module")
def means():
    return study.mean_curves(errors_of(CURVES))


def test_slopes_are_those_of_the_power_law_and_of_the_same_tables(means):
    found = study.slopes(means)
    boosted = found[found["role"] == curves.BOOSTED]
    np.testing.assert_allclose(boosted["value"], 100 * (1 - 2**-0.25))
    assert set(found["n"]) == {2} and curves.BASELINE not in set(found["role"])
    assert found.query("tables == 'all'")["anchor"].max() == curves.COMMON / 2
    assert found.query("tables == 'larger'")["anchor"].max() == curves.FAR / 2
    some = means[~((means["dataset"] == "b") & (means["anchor"] > curves.COMMON))]
    assert set(study.slopes(some).query("tables == 'larger'")["n"]) == {1}


def test_the_early_leader_is_held_against_who_leads_later():
    found = study.ranks({"large_numbers": errors_of(CURVES)}).set_index("dataset")
    early, late = ({role: c[size == ANCHORS][0] for role, c in CURVES.items()
                    if role != curves.BASELINE} for size in (curves.SEEN, curves.COMMON))
    leader, winner = min(early, key=early.get), min(late, key=late.get)
    row = found.loc["a"]
    assert (row["leader"], row["winner"]) == (leader, winner)
    assert row["regret"] == pytest.approx(100 * (late[leader] / late[winner] - 1))
    assert row["boosted"] == pytest.approx(100 * (late[curves.BOOSTED] / late[winner] - 1))


def test_forecasts_see_no_more_than_they_say_and_are_scored_by_what_came():
    errors = errors_of({curves.BOOSTED: 0.3 * power(0.15)}, noise=0.01, names=("a",))
    found = pd.DataFrame(curves.forecasts_of({"large_classes": errors}))
    stays = found[found["method"] == curves.STAYS].set_index("times")
    np.testing.assert_allclose(stays["off"], 0.15 * np.log2(stays.index), atol=0.02)
    assert stays["inside"].isna().all() and list(stays.index) == list(curves.TIMES)
    report = found[found["method"] == curves.REPORT]
    assert report["off"].mean() < stays["off"].mean() and report["inside"].isin((0, 1)).all()
    later = errors.where((errors["anchor"] <= curves.SEEN) | (errors["split"] == "test"))
    again = pd.DataFrame(curves.forecasts_of({"large_classes": later}))
    pd.testing.assert_frame_equal(found, again)
    scored = curves.coverage(found).set_index(["method", "times"])
    assert scored.loc[(curves.STAYS, 0), "n_cases"] == len(curves.TIMES)
    assert scored.loc[(curves.STAYS, 2), "off"] == pytest.approx(stays.loc[2, "off"])
