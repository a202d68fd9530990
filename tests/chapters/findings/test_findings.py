"""The numbers on the first page are those of the chapters that they lead to."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from chapters.da1.correction_steps import IN_PLACE, OWN_GRID, correction_steps

from analysis.databases.chosen import main_curves, tried_curves, validation_errors
from analysis.published.computed import recall
from chapters.findings.study import SAID, Study, draw_finding, facts, findings

PREVALENCE = recall("trust_prevalence").query(
    "pool == 'real residuals' and seen_by == 'both' and min_violation == 0.02").set_index("learner")


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
    assert shares == pytest.approx([steps["published"], steps[IN_PLACE], *PREVALENCE.loc[
        ["all", "the three leaders", "the others"], "share"]])


def test_kept_numbers_are_taken_over(table):
    kept = recall("artefacts_largest_drops")
    tabnet = kept[(kept["learner"] == "TabNet") & (kept["anchor"] == 1024)].iloc[0]
    own = table[table["bar"] == "TabNet"].iloc[0]
    assert own["value"] == pytest.approx(100 * tabnet["curves"] / tabnet["of"])
    assert own["n"] == tabnet["of"]


def test_small_tables_are_counted_by_both_roundings(table):
    margins = recall("small_data_margins")
    own = table[table["finding"] == "small"].set_index("bar")["value"]
    assert own["AUC rounded first"] == pytest.approx(100 * (margins["rounded"] <= 3).mean())
    assert own["AUC at full precision"] == pytest.approx(100 * (margins["full"] <= 3).mean())


def test_the_forest_is_ahead_as_the_chapter_says(table):
    own = table[table["finding"] == "overtaken"]
    assert own["n"].nunique() == 1 and own["value"].is_monotonic_increasing
    assert own["database"].eq("LCDB 1.0").all()


def test_the_page_says_the_numbers_of_the_table(valid, table):
    curves = xr.Dataset({"error_rate": valid.isel(anchor=[0])})
    said = facts(Study(curves, valid, pd.Series(
        {"published": 8.0, IN_PLACE: 7.5, OWN_GRID: 10.7}), table)).set_index("key")
    for key, (finding, bar, *_) in SAID.items():
        row = table[(table["finding"] == finding) & (table["bar"] == bar)].iloc[0]
        assert said.loc[key, ["value", "low", "high"]].tolist() == pytest.approx(
            row[["value", "low", "high"]].tolist())
    assert said.loc["n_curves", "value"] == 3920 and said.loc["leaders", "value"].count(",") == 2


def test_a_figure_has_a_row_for_each_number(table):
    part = table[table["finding"] == "step"]
    (ax,) = draw_finding(part, "points").axes
    assert [t.get_text() for t in ax.get_yticklabels()] == part["bar"].tolist()
    assert np.isfinite(ax.get_xlim()).all()
    assert ax.get_xlim()[0] < part["low"].min() and ax.get_xlim()[1] > part["high"].max()
