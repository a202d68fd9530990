"""The headline from the printed tables."""

import numpy as np
import pytest
import xarray as xr

from chapters.ledger.published import CC18, FULL, load_published
from chapters.missed.headline import (
    both_sides,
    contributions,
    headline,
    headline_versions,
    printed_shares,
    printed_twice,
)


@pytest.mark.parametrize("database", [FULL, CC18])
@pytest.mark.parametrize("verdict", ["ill_behaved", "non_monotone", "non_convex", "peaking"])
def test_table_4_is_the_mean_of_the_printed_shares(database, verdict):
    rows = load_published()
    printed = rows[(rows["source"] == "Table 4") & (rows["database"] == database)
                   & (rows["scaling"] == "none") & (rows["property"] == verdict)]["value"].item()
    assert headline(printed_shares(database, verdict)) == pytest.approx(float(printed), abs=0.06)


def test_qda_is_counted():
    versions = headline_versions().set_index("counted")
    with_it, without_it = versions.iloc[0], versions.iloc[1]
    assert round(with_it[FULL], 1) == 15.4 and round(without_it[FULL], 1) != 15.4
    assert with_it["learners"] - without_it["learners"] == 1
    assert without_it[f"change, {FULL}"] == pytest.approx(without_it[FULL] - with_it[FULL])


def test_contributions_sum_to_the_headline():
    table = contributions()
    assert table["points"].sum() == pytest.approx(headline(printed_shares()))
    assert table["points"].is_monotonic_decreasing
    assert "DummyClassifier" not in set(table["learner"])


def test_what_is_printed_twice_differs_by_whole_curves():
    table = printed_twice()
    assert set(table["curves"]) == {1}
    assert "DummyClassifier" not in set(table["learner"])  # 60 is 60.4 without its decimal
    assert (table["Table 3"] != table["Tables 6 to 8"]).all()


def test_unknown_learners_cannot_be_left_out():
    with pytest.raises(KeyError):
        headline(printed_shares(), without=("QDDA",))


def test_both_sides_measure_alike():
    at = {"dataset": [1, 2], "learner": ["KNN", "QDA"]}
    ill = xr.DataArray([[False, True], [False, False]], dims=tuple(at), coords=at)
    there = xr.DataArray([[True, True], [False, True]], dims=tuple(at), coords=at)
    table = both_sides({"old": ill}, there).set_index("counted")
    assert table["old"].tolist() == pytest.approx([25, 0, 100 / 3, 0])
    assert table.loc["all curves, as Table 4", FULL] == pytest.approx(headline(printed_shares()))
    assert table.loc["without quadratic discriminants", FULL] == pytest.approx(
        headline(printed_shares(), ("QDA",)))
    assert np.round(table.loc["curves that are not missing", FULL], 1) == 15.9
