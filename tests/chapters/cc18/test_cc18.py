"""CC-18's criteria on LCDB's table of qualities, twins by qualities, the admitted mistakes."""

import numpy as np
import pandas as pd
import pytest

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.twins import quality_twins
from analysis.published.printed import published_table
from chapters.cc18 import criteria as rules
from chapters.cc18.criteria import DIFFERENT, EQUAL, NOT_HERE, published_numbers
from collection.suites.specs import find_suite


@pytest.fixture(scope="module")
def criteria():
    return rules.cc18_criteria(meta_features_table())



def test_no_member_fails_an_automatic_criterion(criteria):
    assert list(criteria.columns) == ["dataset_id", "name", "in_cc18", "a", "b", "c", "d",
                                      "decided_by"]
    inside = criteria[criteria["in_cc18"]]
    assert len(criteria) == 219 and len(inside) == 49
    assert (inside["decided_by"] == "kept").all()


def test_decisions_are_the_first_criterion_that_fails(criteria):
    """By the numbers themselves, written out anew."""
    table = meta_features_table()
    size, smallest = table["NumberOfInstances"], table["MinorityClassSize"]
    failed = pd.DataFrame({
        "a": (size < 500) | (size > 100_000),
        "b": table["NumberOfFeaturesAfterBinarization"] - 1 >= 5000,
        "c": smallest < 20, "d": smallest <= 0.05 * table["MajorityClassSize"]})
    first = failed.idxmax(axis=1).where(failed.any(axis=1), "")
    ours = criteria.set_index("dataset_id")["decided_by"]
    assert (ours[first[first != ""].index] == first[first != ""]).all()
    assert set(ours[first[first == ""].index]) == {"kept", "manual", "unknown"}
    assert (ours == "manual").sum() == 107


def test_unknown_is_neither():
    table = meta_features_table().head(3).assign(MinorityClassSize=np.nan)
    assert set(rules.cc18_criteria(table)["decided_by"]) <= {"unknown", "a", "b"}


def test_twins_by_qualities():
    pairs = quality_twins(meta_features_table()).set_index(["dataset_id", "twin_id"])["kind"]
    assert pairs[38, 57] == pairs[38, 1000] == "other target"  # sick and hypothyroid
    assert pairs[21, 40975] == "same"  # car, twice
    assert pairs[12, 14] == "same labels"  # two descriptions of the same digits
    assert (3, 54) not in pairs


def test_unlike_tables_are_no_twins():
    rng = np.random.default_rng(0)
    table = meta_features_table().head(40)
    other = table.set_index(table.index + 10**6)
    noisy = other.drop(columns="Name").apply(pd.to_numeric, errors="coerce")
    noisy = (noisy * rng.uniform(0.5, 2, noisy.shape)).assign(
        Name=other["Name"], NumberOfInstances=other["NumberOfInstances"])
    found = quality_twins(pd.concat([table, noisy]))
    assert not (found["twin_id"] > 10**6).any()
    same = quality_twins(pd.concat([table, other]))
    assert (same["kind"][same["twin_id"] - same["dataset_id"] == 10**6] == "same").all()


def test_the_shipped_suite_is_table_1():
    suite = find_suite("cc18")
    table = published_table("cc18_table1").set_index("dataset_id")
    for task in suite.tasks:
        number = int(task.dataset.removeprefix("openml:"))
        assert task.procedure.source == f"openml:task/{table.loc[number, 'task_id']}"
        assert task.name == table.loc[number, "name"]
    assert len(suite.tasks) == 72
    assert {d.dataset for d in suite.decisions} == {f"openml:{i}" for i in (11, 38, 151, 554)}


def test_every_number_of_table_1_has_a_verdict():
    found = published_numbers(meta_features_table())
    assert (found["place"] == "Table 1").sum() == 4 * len(published_table("cc18_table1"))
    assert set(found["verdict"]) <= {EQUAL, DIFFERENT, NOT_HERE}
    assert (found["ours"].isna() == (found["verdict"] == NOT_HERE)).all()
    assert (found.loc[found["verdict"] != EQUAL, "reason"] != "").all()
    differs = found.query("place == 'Table 1' and verdict == @DIFFERENT")
    assert differs[["item", "quantity"]].to_numpy().tolist() == [
        ["splice", "features_with_target"]]  # a column of names


def test_a_changed_quality_is_seen_and_a_lacking_one_not_guessed():
    table = meta_features_table()
    number = 3  # kr-vs-kp
    table.loc[number, "NumberOfInstances"] += 1
    table.loc[number, "NumberOfClasses"] = np.nan
    own = published_numbers(table).query("item == 'kr-vs-kp'").set_index("quantity")["verdict"]
    assert own["observations"] == DIFFERENT and own["classes"] == NOT_HERE
    assert own["features_with_target"] == EQUAL
