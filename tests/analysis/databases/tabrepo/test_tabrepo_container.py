"""TabRepo's repositories through the entry points: the container, named arrays, by name."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import analysis
from analysis.databases.tabrepo import TabRepo, TabRepoError, as_evaluations
from analysis.databases.tabrepo.container import NotFetchedError, find_tabrepo
from collection.containers.curves import Status
from collection.project.naming import UnknownNameError


def test_results_are_in_the_container_exactly(answered):
    repository, expected = answered
    container = analysis.load_evaluations(repository.layout.folder)
    assert container["error"].dims == ("task", "learner", "repeat", "fold", "split")
    assert container["task"].values.tolist() == expected["datasets"]
    assert container["openml_id"].values.tolist() == [
        expected["dataset_to_tid"][d] for d in expected["datasets"]]
    columns = expected["metrics"]["columns"]
    for row in expected["metrics"]["rows"]:
        said = dict(zip(columns, row, strict=True))
        cell = container.sel(task=said["dataset"], learner=said["framework"], fold=said["fold"],
                             repeat=0)
        assert cell["error"].sel(split="test") == said["metric_error"]
        assert cell["error"].sel(split="valid") == said["metric_error_val"]
        assert cell["train_time"] == said["time_train_s"]
        assert cell["predict_time"].sel(split="test") == said["time_infer_s"]
        assert cell["status"] == Status.ok
    configs = container.isel(learner=container["kind"].values == "config")
    assert configs["learner"].values.tolist() == expected["configs"]
    assert (configs["status"] == Status.ok).sum() == len(expected["metrics"]["rows"])
    assert np.isnan(container["error"].sel(split="train")).all()
    metric = dict(zip(container["task"].values, container["metric"].values, strict=True))
    assert metric == {"Three_Blobs": "log_loss", "two-moons_b": "auc", "wavy-reg": "rmse"}
    auc = container["auc"].sel(task="two-moons_b", split="test")
    xr.testing.assert_allclose(1 - auc, container["error"].sel(task="two-moons_b", split="test"))


def test_families_and_hyperparameters_are_along_the_learners(answered):
    repository, expected = answered
    container = as_evaluations(repository)
    for config, family in expected["configs_type"].items():
        cell = container.sel(learner=config)
        assert cell["family"] == (family or config.split("_")[0])
        assert json.loads(cell["hyperparameters"].item()) == (
            expected["configs_hyperparameters"][config] or {})


def test_predictions_and_labels_are_named(context):
    where = context / "to_dir"
    names = ["RandomForest_c1_BAG_L1", "LinearModel_c1_BAG_L1"]
    found = analysis.load_predictions(where, "Three_Blobs", 1, "valid", names)
    labels = analysis.load_labels(where, "Three_Blobs", 1, "valid")
    assert found.dims == ("learner", "row", "class") and found["learner"].values.tolist() == names
    assert (found["row"].values == labels["row"].values).all()
    accuracy = (found.argmax("class") == labels).mean("row")
    assert (accuracy > 0.4).all() and labels.attrs["classes"] == ["0", "1", "2"]
    two = analysis.load_predictions(where, "two-moons_b", 0, "test")
    assert two.dims == ("learner", "row") and two.attrs["class"] == "1" and len(two) == 6
    assert set(two["kind"].values) == {"probability"}
    one = analysis.load_predictions(where, "wavy-reg", 0, "test", "KNeighbors_c1_BAG_L1")
    assert one.shape == (1, 50) and one["kind"].item() == "value"
    with pytest.raises(UnknownNameError, match="repeat 1"):
        analysis.load_labels(where, "wavy-reg", 0, "test", repeat=1)


def test_an_official_context_opens_by_name_once_it_is_there(context, tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path))
    with pytest.raises(NotFetchedError, match="make tabrepo CONTEXT=D244_F3_C1530_10"):
        analysis.load_evaluations("D244_F3_C1530_10")
    shutil.copytree(context / "official" / "bucket" / "contexts" / "2025_11_22",
                    tmp_path / "tabrepo" / "2023_11_14")
    found = find_tabrepo("D244_F3_C1530")
    assert found.infer_time_per_row and found.datasets == []  # none of its datasets


def test_inference_per_row_is_multiplied_by_the_test_rows(context):
    whole, rows = (as_evaluations(TabRepo(context / "official", infer_time_per_row=by_row))
                   for by_row in (False, True))
    ratio = (rows["predict_time"] / whole["predict_time"]).sel(split="test", repeat=0)
    for task, count in {"two-moons_b": 120, "wavy-reg": 50, "Three_Blobs": 70}.items():
        known = ratio.sel(task=task).values
        np.testing.assert_allclose(known[~np.isnan(known)], count)


def test_a_repository_stays_open_until_its_tables_change(copy):
    first = find_tabrepo(copy)
    assert find_tabrepo(copy) is first
    table = pd.read_parquet(copy / "configs.parquet")
    table[table["framework"] != "KNeighbors_r1_BAG_L1"].to_parquet(copy / "configs.parquet")
    assert len(find_tabrepo(copy).configs) == 5


@pytest.mark.parametrize(("task", "label", "message"), [
    ("Three_Blobs", "7", "labels of the test rows are .* from 0 to 2, .* 1 are not: 7"),
    ("Three_Blobs", "-1", ".* 1 are not: -1"),
    ("Three_Blobs", "1.5", ".* 1 are not: 1.5"),
    ("two-moons_b", "nan", ".* class numbers from 0 to 1, .* 1 are not: nan"),
    ("wavy-reg", "inf", ".* are finite numbers, .* 1 are not: inf"),
])
def test_labels_that_predictions_know_nothing_of_are_named(copy, task, label, message):
    path = copy / "model_predictions" / task / "0" / "label-test.csv.zip"
    table = pd.read_csv(path, dtype=str)
    table.iloc[3, 1] = label
    table.to_csv(path, index=False, compression={"method": "zip",
                                                 "archive_name": "label-test.csv"})
    with pytest.raises(TabRepoError, match=f"{task}, fold 0: {message}"):
        analysis.load_labels(copy, task, 0, "test")
