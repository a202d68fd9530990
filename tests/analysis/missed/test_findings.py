"""The numbers on the first page are those of the chapters that they lead to."""

import numpy as np
import pytest

from analysis.calibration.words import believed
from analysis.databases.chosen import main_curves, validation_errors
from analysis.databases.gathered import tried_curves
from analysis.missed.findings import draw_finding, findings, in_words
from analysis.rates.correction_steps import IN_PLACE, correction_steps
from analysis.records.computed import recall


@pytest.fixture(scope="module")
def valid():
    return validation_errors("lcdb10").load()


@pytest.fixture(scope="module")
def table(valid):
    return findings(valid)


def test_eight_findings_whose_intervals_hold_their_numbers(table):
    assert table["finding"].nunique() == 8
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()


def test_the_shares_are_those_of_the_chapter_on_rates(table, valid):
    steps = correction_steps(valid, tried_curves(main_curves("lcdb10"), valid))
    steps = steps.set_index("step")["ill_behaved"]
    shares = table[table["finding"] == "ill_behaved"]["value"].tolist()
    assert shares == pytest.approx([steps["published"], steps[IN_PLACE], believed()["rate"]])


def test_kept_numbers_are_taken_over(table):
    kept = recall("missed_largest_drops")
    tabnet = kept[(kept["learner"] == "TabNet") & (kept["anchor"] == 1024)].iloc[0]
    own = table[table["bar"] == "TabNet"].iloc[0]
    assert own["value"] == pytest.approx(100 * tabnet["curves"] / tabnet["of"])
    assert own["n"] == tabnet["of"]


def test_small_tables_are_counted_by_both_roundings(table):
    margins = recall("small_data_margins")
    own = table[table["finding"] == "small"].set_index("bar")["value"]
    assert own["AUC rounded first"] == pytest.approx(100 * (margins["rounded"] <= 3).mean())
    assert own["AUC at full precision"] == pytest.approx(100 * (margins["full"] <= 3).mean())


def test_the_forest_overtakes_on_the_share_that_was_kept(table):
    kept = recall("overtaking_lcdb11_shares")
    kept = kept[(kept["learner"] == "ens.RandomForest") & kept["rows"].isin([100, 1000])]
    own = table[table["finding"] == "overtaken"]
    assert own["value"].tolist() == pytest.approx((100 * kept["share"]).tolist())
    assert own["n"].tolist() == kept["n_datasets"].tolist()


def test_words_have_the_interval_where_there_is_one(table):
    of = dict(list(table.groupby("finding")))
    assert in_words(of["ill_behaved"], "without its faults").count("[") == 1
    assert "[" not in in_words(of["forecast"].assign(low=np.nan, high=np.nan), "no change")


def test_a_figure_has_a_row_for_each_number(table):
    part = table[table["finding"] == "step"]
    (ax,) = draw_finding(part, "points").axes
    assert [t.get_text() for t in ax.get_yticklabels()] == part["bar"].tolist()
    assert np.isfinite(ax.get_xlim()).all()
    assert ax.get_xlim()[0] < part["low"].min() and ax.get_xlim()[1] > part["high"].max()
