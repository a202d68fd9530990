import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters.gathering.cost import (
    CURVES,
    LEAST,
    LIMIT,
    _over,
    core_hours,
    fit_law,
    kept_costs,
    law_seconds,
    planned_fits,
    shown_costs,
)

TIMED = pd.Series({"rows": 4000.0, "features": 64.0})


def sizes(rows, features=8, classes=2, dataset="a"):
    return pd.DataFrame({"dataset": dataset, "rows": np.asarray(rows, float),
                         "features": float(features), "classes": float(classes)})


@given(rows=st.floats(0, 3), features=st.floats(0, 3), classes=st.floats(0, 2),
       scale=st.floats(-9, 1))
def test_a_power_law_is_found_again(rows, features, classes, scale):
    truth = np.array([scale, rows, features, classes])
    table = pd.concat([sizes([256, 512, 2048], p, k) for p in (4, 32) for k in (2, 7)])
    found = fit_law(table.assign(seconds=law_seconds(truth, table, TIMED)))
    assert found == pytest.approx(truth, abs=1e-4)


def test_no_power_falls_and_none_is_steeper_than_its_bound():
    table = sizes([256, 512, 1024])
    assert fit_law(table.assign(seconds=[4.0, 2.0, 1.0]))[1] == pytest.approx(0, abs=1e-6)
    assert fit_law(table.assign(seconds=[1.0, 32.0, 1024.0]))[1] == pytest.approx(3, abs=1e-6)


def test_beyond_what_was_timed_seconds_grow_at_least_in_proportion():
    flat, steep = np.zeros(4), np.array([0.0, 2.0, 0.0, 0.0])
    one, ten = (law_seconds(flat, sizes([n]), TIMED)[0] for n in (4000, 40000))
    assert (one, ten) == (1, 10)
    one, ten = (law_seconds(steep, sizes([n]), TIMED)[0] for n in (4000, 40000))
    assert ten == pytest.approx(100 * one)
    assert law_seconds(flat, sizes([4000], features=640), TIMED)[0] == 10
    small = law_seconds(steep, sizes([16, LEAST]), TIMED)
    assert small[0] == small[1]


def test_a_fit_beyond_the_limit_is_charged_the_limit_and_ends_its_curve():
    law = np.array([np.log(3600.0) - np.log(1000), 1.0, 0.0, 0.0])  # an hour at 1,000 rows
    fits = pd.concat([sizes([1000, 3000, 3600, 3700]), sizes([2000], dataset="b")],
                     ignore_index=True)
    assert core_hours(law, fits, TIMED) / CURVES == pytest.approx([1, 3, LIMIT, 0, 2])


def test_the_plan_is_the_published_grid():
    fits = planned_fits()
    assert fits["dataset"].nunique() == 265 and fits["rows"].min() == 16
    assert not fits.duplicated(["dataset", "rows"]).any()


def test_the_kept_table_adds_up():
    table = kept_costs()
    named, every = table[table["learner"] != "all"], table[table["learner"] == "all"].iloc[0]
    assert named["hours"].sum() == pytest.approx(every["hours"], rel=1e-4)
    assert (named["low"] <= named["high"]).all() and named["beyond"].between(0, 1).all()
    assert len(shown_costs(table)) == len(table)


def test_a_law_that_holds_on_larger_tables_says_what_they_took():
    law = np.array([-9.0, 1.2, 0.5, 0.0])
    larger = pd.concat([sizes([8000, 64000], dataset=name) for name in "ab"], ignore_index=True)
    took = law_seconds(law, larger, TIMED) * np.where(larger["dataset"] == "a", 2.0, 0.125)
    assert _over(law, larger.assign(seconds=took), TIMED) == pytest.approx(2.0)  # of ½ and 8
    assert np.isnan(_over(law, larger.iloc[:0].assign(seconds=0.0), TIMED))
