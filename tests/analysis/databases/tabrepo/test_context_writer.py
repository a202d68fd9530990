"""Evaluations of this project, written as a context and read back; TabRepo's own: `conftest`."""

import json

import numpy as np
import pytest
import xarray as xr

import analysis
from analysis.commands import COMMANDS
from analysis.databases.context_writer import write_context
from analysis.databases.evaluations import open_repository
from analysis.portfolios import evaluate_ensembles

TASKS = ["biomass", "vehicle", "pima"]  # numbers, four classes, two
CONFIGS = ["KNeighbors_c1", "LinearModel_c1", "ExtraTrees_r1"]


@pytest.fixture(scope="module")
def own():
    return open_repository("evaluations").subset(TASKS, CONFIGS)


@pytest.fixture(scope="module")
def folder(own, tmp_path_factory):
    return write_context(own, tmp_path_factory.mktemp("own") / "context")


def test_errors_times_and_facts_come_back(own, folder):
    found = analysis.load_evaluations(folder).sel(task=TASKS, learner=CONFIGS)
    for name in ("error", "train_time"):
        kept = own.evaluations[name]
        kept = kept.sel(split=["valid", "test"]) if name == "error" else kept
        other = found[name].sel(split=["valid", "test"]) if name == "error" else found[name]
        np.testing.assert_array_equal(other.transpose(*kept.dims), kept)
    for name in ("metric", "problem", "rows", "features", "family"):
        assert found[name].values.tolist() == own.evaluations[name].values.tolist(), name
    assert [json.loads(text) for text in found["hyperparameters"].values] == [
        json.loads(text) for text in own.evaluations["hyperparameters"].values]


def test_predictions_labels_and_ensembles_come_back(own, folder):
    for task in TASKS:
        for split in ("valid", "test"):
            one, other = (analysis.load_predictions(where, task, 0, split, CONFIGS)
                          for where in ("evaluations", folder))
            np.testing.assert_array_equal(one, other)
            one, other = (analysis.load_labels(where, task, 0, split)
                          for where in ("evaluations", folder))
            xr.testing.assert_equal(one, other)
    mine, theirs = (evaluate_ensembles(where, TASKS, CONFIGS, size=5) for where in (own, folder))
    np.testing.assert_allclose(mine.loc[theirs.index].to_numpy(float), theirs.to_numpy(float),
                               atol=1e-12)


def test_what_is_there_is_left_alone(own, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="mine is not empty"):
        write_context(own, tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    tabrepo = COMMANDS["tabrepo"].run
    assert tabrepo([f"FROM={tmp_path / 'nothing'}", f"OUT={tmp_path / 'new'}"]) == 1
    assert "nothing" in capsys.readouterr().err and not (tmp_path / "new").exists()
    assert tabrepo(["FROM=evaluations"]) == 1 and "FROM needs OUT" in capsys.readouterr().err


def test_a_task_that_cannot_name_a_folder_is_named(own, tmp_path):
    known = own.evaluations.assign_coords(task=["a/b", "c", "d"])
    with pytest.raises(ValueError, match="The task a/b cannot name a folder"):
        write_context(type(own)(known, own.where), tmp_path / "new")
