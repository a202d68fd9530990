import csv
import json

import pytest
from published_data import LCDB11

from analysis.databases.lcdb11.open import KEYS
from collection.containers.learner_names import LEARNERS
from collection.official import lcdb11 as files
from collection.project.naming import UnknownNameError

CROISSANT = LCDB11 / "croissant.json"
published = pytest.mark.skipif(not CROISSANT.is_file(), reason=f"needs {CROISSANT}")


def test_every_file_is_described_by_its_name():
    words = {"error_rate": "ER", "auc": "AUC", "f1": "f1", "log_loss": "log-loss",
             "train_time": "traintime", "message": "msg"}
    for f in files.official_files():
        rows = {"FULL": "265", "CC18": "CC18"}[f.datasets]
        assert f.name == f"LCDB11_{words[f.metric]}_{rows}_{f.learners}.hdf5"
        assert f.metric in KEYS and f.learners in files.LEARNER_SETS
        assert f.datasets in files.DATASET_SETS
        assert len(f.sha256) == 64 and f.url.startswith("https://")


def test_learner_sets_are_the_32_learners():
    assert sorted(n for names in files.LEARNER_SETS.values() for n in names) == sorted(LEARNERS)


def test_datasets():
    assert len(files.dataset_ids("FULL")) == 265 and len(files.dataset_ids("CC18")) == 72
    assert files.datasets_table().loc[3, "max_anchor"] == 2588
    assert (files.datasets_table()["max_anchor"] < files.datasets_table()["samples"]).all()


def test_selection():
    assert len(files.select_files()) == 15
    chosen = files.select_files(["error_rate"], ["FULL"], ["catboost", "tabnet"])
    assert [f.name for f in chosen] == [
        "LCDB11_ER_265_catboost.hdf5", "LCDB11_ER_265_tabnet.hdf5"]


def test_selection_of_nothing_or_of_unknown_names():
    with pytest.raises(UnknownNameError, match="error_rate"):
        files.select_files(["error rate"])
    with pytest.raises(UnknownNameError, match="catboost"):
        files.select_files(learners=["catbost"])
    with pytest.raises(ValueError, match="no file for metric: auc; learners: catboost"):
        files.select_files(["auc"], learners=["catboost"])


@published
def test_list_is_the_published_one():
    listed = {d["name"]: (d["contentUrl"], d["sha256"])
              for d in json.loads(CROISSANT.read_text())["distribution"] if "contentUrl" in d}
    assert {f.name: (f.url, f.sha256) for f in files.official_files()} == listed


@published
def test_datasets_are_the_published_ones_in_their_order():
    for name in files.DATASET_SETS:
        path = LCDB11 / "metadata" / f"datasets_{name}_ids.csv"
        rows = list(csv.DictReader(path.open(encoding="utf-8-sig")))
        assert [int(r[f"datasets_{name}_ids"]) for r in rows] == files.dataset_ids(name)
    path = LCDB11 / "metadata" / "learner_zoo.csv"
    assert [r["learner"] for r in csv.DictReader(path.open(encoding="utf-8-sig"))] == list(
        files.LEARNER_SETS["24"])
