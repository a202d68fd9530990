import json

import numpy as np
import pytest
from published_data import LCDB11

from analysis.databases.chapter_curves import without_stray
from analysis.databases.lcdb11.summary import META, open_lcdb11_summary
from analysis.published.computed import NotAtHandError
from collection.containers.curves import Status
from collection.official.lcdb11 import dataset_ids, datasets_table
from collection.protocol.anchors import anchor_grid
from lab.means import stray_values

LEARNERS = ["KNN", "LDA"]
published = pytest.mark.skipif(not (LCDB11 / META).is_file(),
                               reason=f"needs the published means in {LCDB11}")


def write_summary(folder, ids=(61, 11), learners=LEARNERS, anchors=None):
    """Write a summary in the site's layout; learner k of dataset d has mean d/1000 + k/10."""
    anchors = anchor_grid()[:20].tolist() if anchors is None else anchors
    (folder / "er").mkdir()
    meta = {"learners": learners, "dataset_ids": list(ids), "anchors": anchors}
    (folder / META).write_text(json.dumps(meta))
    for i in ids:
        curve = [[[[i / 1000 + k / 10, None if k and j == 3 else 0.2, 0.3] for j in
                   range(len(anchors))], [[0.01] * 3] * len(anchors)]
                 for k in range(len(learners))]
        (folder / "er" / f"{i}.json").write_text(json.dumps(curve))


def test_values_stand_where_the_layout_has_them(tmp_path):
    write_summary(tmp_path)
    curves = open_lcdb11_summary(tmp_path)
    assert curves["error_rate"].dims == (
        "dataset", "learner", "scaling", "leakage", "anchor", "split")
    assert curves["error_rate"].sel(dataset=61, learner="LDA", split="train", anchor=16) == 0.161
    assert curves["error_rate"].sel(dataset=11, learner="KNN", split="test", anchor=18) == 0.3
    assert (curves["error_rate_stderr"] == 0.01).all()
    assert curves["name"].values.tolist() == ["iris", "balance-scale"]
    assert curves["cc18"].values.tolist() == [False, True]


def test_missing_means_have_a_status_and_a_message(tmp_path):
    write_summary(tmp_path, ids=[61])
    fit = open_lcdb11_summary(tmp_path).sel(dataset=61, scaling="none", leakage="no")
    assert np.isnan(fit["error_rate"].sel(learner="LDA", anchor=21, split="valid"))
    assert fit["status"].sel(learner="LDA", anchor=21) == Status.error
    past = anchor_grid()[:20][anchor_grid()[:20] > datasets_table().loc[61, "max_anchor"]]
    iris_ends = open_lcdb11_summary(tmp_path)["status"].sel(dataset=61, anchor=past)
    assert (iris_ends == Status.not_run).all()


def test_values_past_the_training_set_are_listed_as_stray(tmp_path):
    write_summary(tmp_path, ids=[61], anchors=[16, 18, 118, 128])
    curves = open_lcdb11_summary(tmp_path)
    found = stray_values(curves["error_rate"].sel(split="valid"))
    assert found["learner"].tolist() == ["KNN"]  # LDA's mean at 128 is missing
    assert found["anchor"].tolist() == [128]
    assert found["max_anchor"].tolist() == [datasets_table().loc[61, "max_anchor"]] == [121]
    assert stray_values(curves["error_rate"].sel(split="valid", anchor=[16])).empty
    elsewhere = curves["error_rate"].assign_coords(dataset=["wine"])
    assert without_stray(elsewhere).identical(elsewhere), "no dataset of LCDB 1.1"


@pytest.mark.parametrize("damage, error, words", [
    (lambda f: (f / "er/61.json").unlink(), FileNotFoundError, "No such file.*61.json"),
    (lambda f: (f / "er/61.json").write_text("[[["), ValueError, "61.json is no JSON"),
    (lambda f: (f / "er/61.json").write_text("[[1, 2], [3, 4]]"), ValueError, "has shape"),
    (lambda f: (f / "er/61.json").write_text('[["a"]]'), ValueError, "array of numbers"),
    (lambda f: (f / META).unlink(), FileNotFoundError, "No such file.*meta.json"),
])
def test_damaged_summaries_say_what_is_wrong(tmp_path, damage, error, words):
    write_summary(tmp_path)
    damage(tmp_path)
    with pytest.raises(error, match=words):
        open_lcdb11_summary(tmp_path)


def test_the_environment_names_a_folder(tmp_path, monkeypatch):
    place = tmp_path / "published" / "lcdb11"
    place.mkdir(parents=True)
    write_summary(place, ids=[61])
    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(place.parent))
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    assert open_lcdb11_summary()["dataset"].values.tolist() == [61]


@pytest.mark.parametrize("named", [None, "elsewhere"])
def test_nothing_beside_the_checkout_is_looked_at(tmp_path, monkeypatch, named):
    monkeypatch.delenv("LEARNING_CURVES_PUBLISHED", raising=False)
    if named:
        monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(tmp_path / named))
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    with pytest.raises(NotAtHandError, match="LEARNING_CURVES_PUBLISHED"):
        open_lcdb11_summary()


def test_a_folder_that_was_named_and_is_no_summary_is_a_fault(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such file") as fault:
        open_lcdb11_summary(tmp_path)
    assert not isinstance(fault.value, NotAtHandError)


@published
def test_published_means():
    curves = open_lcdb11_summary(LCDB11)
    assert curves["dataset"].values.tolist() == dataset_ids("FULL")
    assert curves.sizes["learner"] == 28
    np.testing.assert_array_equal(curves["anchor"], anchor_grid())
    vehicle = curves["error_rate"].sel(dataset=54, learner="SVM_Linear", anchor=16).squeeze()
    assert vehicle.values.tolist() == [0.135, 0.546, 0.5379]
    stray = stray_values(curves["error_rate"].sel(split="test"))
    assert stray.groupby("dataset").size().to_dict() == {1088: 26, 41972: 5}
