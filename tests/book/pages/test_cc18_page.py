"""The page on CC-18: its criteria on LCDB's table of qualities, other thresholds, Table 1."""

import pandas as pd
from notebook_runs import run

from analysis.databases import meta_features_table
from analysis.published import published_table
from collection.suites.create import BY_QUALITIES, CRITERIA, check_qualities
from collection.suites.specs import find_suite


def test_the_page_judges_as_make_suite_does(page):
    found = page.table("cc18_criteria").set_index("dataset_id")
    table = meta_features_table()
    checked = check_qualities(pd.DataFrame({
        "rows": table["NumberOfInstances"], "classes": table["NumberOfClasses"], "sparse": 0,
        "features_after_one_hot": table["NumberOfFeaturesAfterBinarization"] - 1,
        "smallest_class": table["MinorityClassSize"],
        "class_ratio": table["MinorityClassSize"] / table["MajorityClassSize"]}))
    for name in BY_QUALITIES:
        if (letter := CRITERIA[name].letter) in found:
            known = checked[name].dropna()
            assert found.loc[known.index, letter].astype(bool).equals(known.astype(bool))
            assert found[letter].isna().equals(checked[name].isna())
    failed = found[list("abcd")].eq(False)
    first = failed.idxmax(axis=1)[failed.any(axis=1)]
    assert (found.loc[first.index, "decided_by"] == first).all()
    assert set(found["decided_by"].drop(first.index)) == {"kept", "manual", "unknown"}
    assert found["in_cc18"].sum() == 49 and not failed[found["in_cc18"]].any(axis=None)


def test_steps_lead_from_all_datasets_to_the_members(page):
    steps = page.table("steps")["datasets"]
    assert steps.iloc[0] - steps.iloc[1:-1].sum() == steps.iloc[-1] == 49


def test_every_number_of_table_1_has_a_verdict(page):
    found = page.table("published")
    table_1 = found.query("place == 'Table 1'")
    assert len(table_1) == 4 * len(published_table("cc18_table1"))
    assert (table_1["ours"].isna() == (table_1["verdict"] == "not checkable here")).all()
    assert found.loc[found["verdict"] != "equal as printed", "reason"].notna().all()
    differs = table_1.query("verdict == 'different'")
    assert differs[["item", "quantity"]].to_numpy().tolist() == [
        ["splice", "features_with_target"]]  # a column of names
    equal = table_1.query("verdict == 'equal as printed' and quantity != 'ratio'")
    pd.testing.assert_series_equal(equal["ours"], equal["published"], check_names=False)


def test_other_thresholds_leave_out_others(tmp_path):
    page = run("cc18", tmp_path, class_rows=5_000_000)
    assert "none passes these four criteria" in page.said
    assert not page.table("cc18_criteria")["c"].eq(True).any()


def test_the_shipped_suite_is_table_1():
    suite = find_suite("cc18")
    table = published_table("cc18_table1").set_index("dataset_id")
    for task in suite.tasks:
        number = int(task.dataset.removeprefix("openml:"))
        assert task.procedure.source == f"openml:task/{table.loc[number, 'task_id']}"
        assert task.name == table.loc[number, "name"]
    assert len(suite.tasks) == 72
    assert {d.dataset for d in suite.decisions} == {f"openml:{i}" for i in (11, 38, 151, 554)}
