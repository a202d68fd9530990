"""Gathering meta-features: limits, failures, resuming; and what is kept of the study."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.published import published_table
from analysis.published.computed import NotAtHandError, recall
from collection.containers.curves import Status
from collection.running import meta_features as extraction
from collection.running.engine import Limits
from collection.running.supervisor import Supervisor
from collection.tasks import Task
from lab import meta_features as search
from lab.meta_features import read_table
from lab.pmlbmini import distinct_problems

FEW = ((("general",), "nr_inst"), (("general",), "nr_attr"), (("general",), "freq_class"),
       (("landmarking", "relative"), ""))


@pytest.fixture
def table_of(tmp_path):
    """Return the task of a small table of one's own."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((40, 3)), columns=list("abc"))
    frame["target"] = np.where(frame["a"] + rng.normal(0, 0.5, 40) > 0.3, "yes", "no")
    path = tmp_path / "own.csv"
    frame.to_csv(path, index=False)
    return Task(f"csv:{path}?target=target", name="own")


def test_meta_features_are_gathered_once(table_of, tmp_path, capsys):
    pytest.importorskip("pymfe")
    folder = tmp_path / "mf"
    for said in ("own\n", ""):
        extraction.gather([table_of], folder, FEW)
        assert capsys.readouterr().out == said
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
    wrong = [(("general",), "no_such_feature"), (("no such group",), "nr_inst")]
    job = extraction.MetaFeatureJob(table_of, (*wrong, FEW[0]))
    with pytest.warns(UserWarning, match="no_such_feature"):
        found = job.result([*job.run(job.load())], 0.0, "")
    assert found["status"].tolist() == ["error", "error", "ok"]
    assert found["meta_feature"].tolist() == ["no_such_feature", "nr_inst", "nr_inst"]
    assert (found["message"] != "").tolist() == [True, True, False] and found["value"][2] == 40


def test_absent_meta_features_name_the_way_to_them(table_of, tmp_path):
    with pytest.raises(NotAtHandError, match="python -m lab"):
        read_table([table_of], tmp_path)


def test_whole_numbers_become_integers():
    assert extraction.as_whole_numbers(pd.DataFrame([[1.0, 2.0]])).dtype == np.int64
    assert extraction.as_whole_numbers(pd.DataFrame([[1.0, 2.5]])).dtype == float
    assert extraction.as_whole_numbers(pd.DataFrame([[1.0, np.nan]])).dtype == float
    mixed = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["u", "v"])})
    assert extraction.as_whole_numbers(mixed).tolist() == [[1.0, "u"], [2.0, "v"]]


def test_the_published_way_takes_whatever_rows_there_are():
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.normal(size=(40, 5)), columns=[f"f{k}" for k in range(5)])
    gain = (features["f0"] + rng.normal(size=40)).rename("gain")
    features.loc[11:, "f4"] = np.nan
    expected = pd.concat([features, gain], axis=1).corr("spearman")["gain"].drop("gain")
    pd.testing.assert_series_equal(search.as_published(features, gain), expected,
                                   check_names=False)
    assert not np.isnan(search.as_published(features, gain)["f4"])


def test_pairing_by_position_sorts_by_band_and_name():
    features = pd.DataFrame({"x": [1, 2, 3, 4]}, index=["b", "a", "d", "c"])
    gain = pd.Series([0.1, 0.2, 0.3, 0.4], index=["b", "c", "a", "d"])
    bands = pd.Series({"a": 32, "b": 32, "c": 32, "d": 101})
    by_position, by_name = (search.pair(features, gain, way, bands)["x"].to_dict()
                            for way in ("position", "name"))
    assert by_position == {"b": 2, "c": 1, "a": 4, "d": 3}
    assert by_name == {"b": 1, "c": 4, "a": 2, "d": 3}


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
    said = published_table("pmlbmini_leaders")
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
