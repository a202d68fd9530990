"""Gathering meta-features: limits, failures, resuming; and what is kept of the study."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from published_data import PUBLISHED

from analysis.published.computed import NotAtHandError, recall
from chapters.facts import as_texts
from chapters.when_methods_differ import chapter, extraction, search
from collection.containers.curves import Status
from collection.running.engine import Limits
from collection.running.supervisor import Supervisor
from collection.tasks import Task
from lab.pmlbmini import distinct_problems

FEW = (extraction.Unit(("general",), "nr_inst"), extraction.Unit(("general",), "nr_attr"),
       extraction.Unit(("general",), "freq_class"), extraction.Unit(("landmarking", "relative")))


@pytest.fixture
def table_of(tmp_path):
    """Return the task of a small table of one's own."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((40, 3)), columns=list("abc"))
    frame["target"] = np.where(frame["a"] + rng.normal(0, 0.5, 40) > 0.3, "yes", "no")
    path = tmp_path / "own.csv"
    frame.to_csv(path, index=False)
    return Task(f"csv:{path}?target=target", name="own")


def test_meta_features_are_gathered_once(table_of, tmp_path):
    pytest.importorskip("pymfe")
    folder, said = tmp_path / "mf", []
    assert extraction.gather([table_of], folder, said.append, FEW) == 1 and said == ["1 of 1: own"]
    assert extraction.gather([table_of], folder, said.append, FEW) == 0
    values, group = extraction.read_table([table_of], folder)
    assert values.loc["own", "nr_inst"] == 40 and values.loc["own", "nr_attr"] == 3
    smaller = values.loc["own", "freq_class.min"] * 40
    assert values.loc["own", "EPV"] == pytest.approx(smaller / 3)
    assert {"landmarking", "relative"} <= set(group) and group["EPV"] == "general"
    assert {p.suffix for p in folder.iterdir()} == {".csv"}


def test_a_feature_that_takes_too_long_is_told_and_the_others_stay(table_of):
    pytest.importorskip("pymfe")
    job = extraction.MetaFeatureJob(table_of, FEW[:2], Limits(time=300, memory=8e9))
    [[late]] = job.failed(1, Status.timeout, "more than 1 s")
    assert late[:2] == ("general", "nr_attr") and late[3:] == ("timeout", "more than 1 s")
    assert job.rest(1).units == FEW[1:2] and job.steps == 2
    worker = Supervisor()
    try:
        found = worker.gather(replace(job, limits=Limits(time=300, memory=1e6)))
    finally:
        worker.close()
    assert found["status"].tolist() == ["memory"] * 2 and (found["message"] != "").all()
    assert found["value"].isna().all()


def test_what_pymfe_cannot_do_is_an_error_with_its_reason(table_of):
    pytest.importorskip("pymfe")
    wrong = [extraction.Unit(("general",), "no_such_feature"),
             extraction.Unit(("no such group",), "nr_inst")]
    job = extraction.MetaFeatureJob(table_of, (*wrong, FEW[0]))
    with pytest.warns(UserWarning, match="no_such_feature"):
        found = job.result([*job.run(job.load())], 0.0, "")
    assert found["status"].tolist() == ["error", "error", "ok"]
    assert found["meta_feature"].tolist() == ["no_such_feature", "nr_inst", "nr_inst"]
    assert (found["message"] != "").tolist() == [True, True, False] and found["value"][2] == 40


def test_absent_meta_features_name_the_way_to_them(table_of, tmp_path):
    with pytest.raises(NotAtHandError, match="extraction"):
        extraction.read_table([table_of], tmp_path)


def test_whole_numbers_become_integers():
    assert extraction.as_whole_numbers(np.array([[1.0, 2.0]])).dtype == np.int64
    assert extraction.as_whole_numbers(np.array([[1.0, 2.5]])).dtype == float
    assert extraction.as_whole_numbers(np.array([[1.0, np.nan]])).dtype == float


def test_twins_are_one_problem():
    left = distinct_problems(["heart_c", "cleve", "sonar", "vote", "house_votes_84"])
    assert left == ["cleve", "sonar", "house_votes_84"]


def test_the_published_pairing_sets_other_rows_side_by_side():
    table = recall("meta_features_positions")
    assert len(table) == 44 and set(table["gain_of"]) == set(table["meta_features_of"])
    assert (table["gain_of"] == table["meta_features_of"]).sum() == 2


def test_the_published_leaders_come_out_of_the_published_pairing():
    table = recall("meta_features_leaders")
    first = table[(table["pairing"] == "position") & (table["place"] == 1)]
    said = pd.read_csv(Path(search.__file__).parents[2] / "book/published/pmlbmini_leaders.csv")
    stems = first.set_index("method")["meta_feature"].str.split(".").str[0]
    said = said.set_index("method")["meta_feature"]
    assert (stems == said.reindex(stems.index)).sum() == 3
    gluon = table[(table["pairing"] == "position") & (table["method"] == "AutoGluon")]
    third = gluon[gluon["meta_feature"] == said["AutoGluon"]].iloc[0]
    assert third["place"] == 3 and third["rho"] > 0  # a hundredth behind two of one kind
    by_name = table[(table["pairing"] == "name") & (table["place"] == 1)].set_index("method")
    assert (by_name["meta_feature"].str.split(".").str[0] != stems).all()


def test_every_method_is_kept_by_each_of_its_pairings():
    methods = recall("meta_features_methods")
    assert list(zip(methods["method"], methods["pairing"], strict=True)) == list(search.STUDIED)
    assert methods["p_largest"].between(0, 1).all()
    assert (methods["chance_median"] < methods["chance_95"]).all()


def test_kept_numbers_come_out_again():
    try:
        found = search.positions()
    except NotAtHandError:
        pytest.skip(f"needs PMLBmini's results ({PUBLISHED}) and gathered meta-features")
    kept = recall("meta_features_positions").drop(columns="computed_on")
    pd.testing.assert_frame_equal(found, kept)


def test_the_chapters_facts_come_from_the_tables():
    study = chapter.compute()
    said = as_texts(chapter.facts(study))
    assert (said["same_rows"], said["problems"], said["leaders_come_out"]) == ("2", "40", "3")
    assert said["holm"] == said["bh"] == "0" and said["own"] == "5"
    first, largest = study.tables["first"], study.tables["largest"].dropna()
    assert len(first) == 24
    assert first.loc[first["rho"].isna(), ["low", "high"]].isna().all(axis=None)
    assert (largest["high"] > largest["value"]).all()
