"""Each number of the suites' paper gets one verdict, and a wrong one is seen."""

import numpy as np

from analysis.databases.lcdb10 import meta_features_table
from analysis.published.printed import published_table
from chapters.cc18.published import DIFFERENT, EQUAL, NOT_HERE, published_numbers


def test_every_number_of_table_1_has_a_verdict():
    found = published_numbers()
    assert (found["place"] == "Table 1").sum() == 4 * len(published_table("cc18_table1"))
    assert set(found["verdict"]) <= {EQUAL, DIFFERENT, NOT_HERE}
    assert (found["ours"].isna() == (found["verdict"] == NOT_HERE)).all()
    assert (found.loc[found["verdict"] != EQUAL, "reason"] != "").all()


def test_what_differs_is_a_column_of_names():
    found = published_numbers().query("place == 'Table 1' and verdict == @DIFFERENT")
    assert found[["item", "quantity"]].to_numpy().tolist() == [["splice", "features_with_target"]]


def test_a_changed_quality_is_seen_and_a_lacking_one_not_guessed():
    table = meta_features_table()
    number = 3  # kr-vs-kp
    table.loc[number, "NumberOfInstances"] += 1
    table.loc[number, "NumberOfClasses"] = np.nan
    own = published_numbers(table).query("item == 'kr-vs-kp'").set_index("quantity")["verdict"]
    assert own["observations"] == DIFFERENT and own["classes"] == NOT_HERE
    assert own["features_with_target"] == EQUAL


def test_all_tasks_keep_the_requirements():
    found = published_numbers().query("place == 'Section 6.1'")
    assert len(found) == 3 and (found["ours"] == 72).all()
