"""Nulls and recommendations are those of the tables that are kept."""

import pytest

from analysis.published import recall

GIVEN = {"violation": 0.05, "shown": ["max_t"]}


def test_every_rule_has_a_null_that_holds_its_interval(page):
    table = page.table("nulls")
    assert table["rule"].is_unique and table[["found", "null"]].notna().all().all()
    known = table.dropna()
    assert known["null"].between(known["null_low"], known["null_high"]).all()
    assert (table["n"] >= 5).all()
    share = table.set_index("rule").loc["corrected: ill-behaved", "found"]
    cited = recall("cited", text=("value",)).set_index("key")["value"]  # DA1's
    assert share == pytest.approx(float(cited["ill_behaved"]), abs=1e-3)
    others = page.numbers.loc[["others", "others_null"], "value"]
    assert others["others"] == pytest.approx(float(cited["others"]))
    assert others["others"] > others["others_null"] > 0


def test_the_violation_is_the_reader_s(page):
    found = page.table("real_grids").query("procedure == 'corrected'").set_index("size")["rate"]
    assert page.numbers.loc["found_corrected", "value"] == found[0.05] > found[0.02]
    assert "5 points or more" in page.said
