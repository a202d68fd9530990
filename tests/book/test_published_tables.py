"""The paper's numbers as CSV: consistent in themselves, and as they were when read twice."""

import hashlib

import pandas as pd
import pytest

from collection.containers.learner_names import LEARNERS, learner_name
from collection.project.paths import DATA, ROOT

PUBLISHED = ROOT / "book" / "published"
CC18, FULL = "LCDB 1.1 CC-18", "LCDB 1.1 FULL"


def read(name):
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


def numbers(name):
    table = read(name)
    return table.assign(value=table["value"].astype(float))


# In themselves.

@pytest.mark.parametrize("table, rows", [
    ("table3", 32), ("table4", 7 * 7), ("table5", 6), ("table6", 3 * 12), ("table7", 6 * 6),
    ("table8", 2 * 24 * 21), ("table9", 4 * 6), ("table10", 265)])
def test_row_counts(table, rows):
    assert len(read(table)) == rows
    keys = [c for c in read(table).columns if c not in ("value", "unit")]
    assert not read(table).duplicated(keys).any()


def test_table4_is_the_mean_of_tables_6_to_8_without_dummy():
    per_learner = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    modern = {n.name for n in LEARNERS.values() if n.group == "modern"}
    counted = (per_learner["scaling"] == "none") | ~per_learner["learner"].isin(modern)
    kept = per_learner[(per_learner["learner"] != "DummyClassifier") & counted]
    mean = kept.groupby(["database", "scaling", "property"])["value"].agg(["mean", "size"])
    both = numbers("table4").join(mean, on=["database", "scaling", "property"], how="inner")
    both = both[(both["property"] != "flat") | (both["scaling"] != "none")]  # 24 learners' range
    assert len(both) == 40
    assert set(both["size"]) == {23, 27}
    assert ((both["value"] - both["mean"]).abs() < 0.11).all()


def test_table3_differs_from_table8_only_where_noted():
    per_learner = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    both = numbers("table3").merge(per_learner, on=["database", "scaling", "learner", "property"])
    differing = set(both.loc[both["value_x"] != both["value_y"], "learner"])
    noted = read("inconsistencies")["one_place"].str.extract(r"^Table 3, (\w+)$")[0].dropna()
    assert differing == set(noted)


def test_without_qda_the_headline_is_what_is_noted():
    rows = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    rows = rows[(rows["scaling"] == "none") & (rows["property"] == "ill_behaved")
                & ~rows["learner"].isin(["DummyClassifier", "QDA"])]
    noted = read("inconsistencies").set_index("other_place")["one_value"]
    for database, place in ((FULL, "FULL"), (CC18, "CC-18")):
        mean = rows.loc[rows["database"] == database, "value"].mean()
        assert f"{mean:.1f}" == noted[f"Table 4, {place}, no scaling, ill-behaved"]


def test_tables_agree_with_the_prose():
    prose = numbers("text")
    table = numbers("table4")
    keys = ["database", "scaling", "learner", "property"]
    both = prose[prose["qualifier"] == ""].merge(table, on=keys)
    assert len(both) == 5
    assert (both["value_x"] == both["value_y"]).all()


def test_table10_is_the_list_of_datasets_that_the_files_have():
    listed = pd.read_csv(DATA / "lcdb11_datasets.csv", dtype=str)
    columns = read("table10").columns
    pd.testing.assert_frame_equal(read("table10"), listed[columns])


# All of them were read twice from the paper's text, in two ways that agreed to the last digit.

READ_TWICE = "bf6429cd3985820c68ea56f27fdec507418b83c74e97d549b888a4bdb0dd9715"


def test_what_was_read_twice_has_not_changed_since():
    tables = [f"table{k}" for k in range(2, 11)] + ["text"]
    held = b"".join((PUBLISHED / f"{name}.csv").read_bytes() for name in tables)
    assert hashlib.sha256(held).hexdigest() == READ_TWICE


def test_learner_names_are_the_projects():
    for table in ("figure7", "notebooks"):
        for names in read(table)["learner"]:
            for name in names.split("; "):
                assert name == "all" or learner_name(name) == name
