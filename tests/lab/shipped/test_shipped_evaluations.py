"""The shipped repository: whole tasks only, nothing of the machine, the same errors."""

import sqlite3

import numpy as np
import pytest
from stored_evaluations import stored_precision

import analysis
from analysis.databases.evaluations import open_repository
from collection.learners.families import FAMILIES
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.store.connection import UnreadableStoreError
from collection.store.evaluations import EvaluationWriter
from lab.shipped import evaluations
from lab.shipped.__main__ import main
from lab.shipped.evaluations import gather_task as gather

SETTINGS = {"FAMILIES": "KNeighbors", "CONFIGS": "1", "BAGS": "2", "FOLDS": "0 1 of 3",
            "PREDICTIONS": "yes", "PRECISION": "double", "CLOCK": "processor"}


@pytest.fixture
def recipe(monkeypatch):
    """A recipe of two small tasks."""
    def settings(task, folder):
        return {**SETTINGS, "TASKS": task, "OUT": str(folder)}
    monkeypatch.setattr("lab.shipped.evaluations.settings_of", settings)
    monkeypatch.setattr("lab.shipped.evaluations.TASKS", ("sklearn:iris", "sklearn:wine"))


def test_the_recipe_has_what_it_promises():
    assert len(evaluations.TASKS) == len(set(evaluations.TASKS)) >= 30
    settings = check_settings(evaluations.settings_of(evaluations.TASKS[0], "here"))
    assert settings.learners == ("RealMLP",) and set(settings.families) == set(FAMILIES)
    assert min(evaluations.CONFIGS.values()) >= 2 and settings.bags == 8


def test_it_resumes_and_ships_whole_tasks_alone(recipe, tmp_path, capsys):
    gather("sklearn:iris", tmp_path / "store")
    partial = check_settings({**SETTINGS, "TASKS": "sklearn:wine", "OUT": str(tmp_path / "store")})
    plan = make_plan(partial)
    with EvaluationWriter(tmp_path / "store", partial.of_store, {"host": "here"}) as store:
        plan.register(store)
    assert evaluations.ship(tmp_path / "store", tmp_path / "shipped") == ["wine"]
    shipped = analysis.load_evaluations(tmp_path / "shipped")
    assert shipped["task"].values.tolist() == ["iris"]
    assert dict(shipped.sizes)["learner"] == 2
    assert not (tmp_path / "shipped" / "predictions" / "wine").exists()
    capsys.readouterr()
    assert main(["evaluations", "--stores", str(tmp_path / "store"),
                 "--to", str(tmp_path / "shipped")]) == 0
    said = capsys.readouterr().out
    assert "sklearn:iris: 0 evaluations" in said and "sklearn:wine: 4 evaluations" in said
    assert analysis.load_evaluations(tmp_path / "shipped").sizes["task"] == 2
    assert evaluations.shipped_bytes(tmp_path / "shipped") > 10_000
    check_same_errors(tmp_path / "shipped")
    with sqlite3.connect(tmp_path / "shipped" / "evaluations.sqlite") as db:
        assert not any("host" in text for (text,) in db.execute("SELECT provenance FROM runs"))
        assert {worker for (worker,) in db.execute("SELECT worker FROM evaluations")} == {""}


def check_same_errors(folder):
    """Hold errors from stored predictions against those of the fits."""
    table = stored_precision(open_repository(folder))
    assert table["evaluations"].sum() == 2 * 2 * 2 * 2
    assert table["largest"].max() == 0
    rounded = stored_precision(open_repository(folder), np.float16)
    assert rounded["largest"].max() > 1e-5


def test_a_store_without_a_whole_task_ships_nothing(recipe, tmp_path):
    settings = check_settings({**SETTINGS, "TASKS": "sklearn:wine", "OUT": str(tmp_path / "s")})
    with EvaluationWriter(tmp_path / "s", settings.of_store, {}) as store:
        make_plan(settings).register(store)
    with pytest.raises(evaluations.NothingToShipError, match="make evaluations"):
        evaluations.ship(tmp_path / "s", tmp_path / "shipped")
    assert not (tmp_path / "shipped").exists() and not (tmp_path / "shipped.part").exists()


def test_a_memory_map_that_was_cut_short_is_named(recipe, tmp_path):
    gather("sklearn:iris", tmp_path)
    file = tmp_path / "predictions" / "iris" / "0-0-test.dat"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(UnreadableStoreError, match=r"0-0-test\.dat"):
        analysis.load_predictions(tmp_path, "iris", 0, "test")
