"""The chapter's facts and nulls are those of the tables that are kept."""

import pandas as pd
import pytest

from chapters import trust
from collection.project.paths import COMPUTED


@pytest.fixture(scope="module")
def found():
    return trust.compute()


def test_every_rule_has_a_null_that_holds_its_interval(found):
    table = found.tables["nulls"]
    assert table["rule"].is_unique and table[["found", "null"]].notna().all().all()
    known = table.dropna()
    assert known["null"].between(known["null_low"], known["null_high"]).all()
    assert (table["n"] >= 5).all()
    ill = pd.read_csv(COMPUTED / "cited.csv", dtype=str).set_index("key").loc["ill_behaved"]
    share = table.set_index("rule").loc["corrected: ill-behaved", "found"]
    assert share == pytest.approx(float(ill["value"]), abs=1e-3)  # DA1's: of curves that exist


def test_tables_are_of_grids_that_databases_have(found):
    grids = ["LCDB 1.0's, 12 anchors", "LCDB 1.1's, 46 anchors"]
    shown = trust.recommended_in_words(found)
    assert shown["grid"].drop_duplicates().tolist() == grids and len(shown) <= 12
    assert {"12 anchors", "46 anchors"} <= set(trust.smallest_in_words(found)["grid"])
