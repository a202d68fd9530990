"""Our own repository: as large as it says, errors exactly those of the stored predictions."""

import numpy as np
import pytest

import analysis
from analysis.databases.chosen import chapter_database
from analysis.databases.evaluations import SHIPPED, is_repository
from chapters.repository.contents import (
    chapter_repository,
    cut_short,
    open_whole,
    repository_title,
    stored_precision,
    training_times,
)
from collection.containers.curves import Status
from collection.learners.families import FAMILIES
from collection.shipped.evaluations import TASKS, shipped_bytes

LEAST_DATASETS, LEAST_CONFIGS, MOST_BYTES, MOST_CUT_SHORT = 30, 45, 40e6, 0.1


@pytest.fixture(scope="module")
def repository():
    return open_whole("evaluations")


@pytest.fixture(scope="module")
def evaluations(repository):
    return repository.evaluations


def test_it_has_the_size_that_was_asked_for(evaluations):
    assert evaluations.sizes["task"] >= LEAST_DATASETS
    assert evaluations.sizes["learner"] >= LEAST_CONFIGS
    assert set(evaluations["family"].values) == {*FAMILIES, "RealMLP"}
    assert evaluations["rows"].min() >= 500 and evaluations["rows"].max() <= 20_000
    assert cut_short(evaluations, "family")["share"].max() < MOST_CUT_SHORT
    assert set(evaluations["spec"].values) <= set(TASKS)
    assert "regression" in evaluations["problem"].values
    assert (evaluations["status"] == Status.ok).all()
    assert shipped_bytes(SHIPPED["evaluations"]) < MOST_BYTES


def test_errors_are_those_of_the_stored_predictions(repository):
    table = stored_precision(repository)  # rounding makes ties, which AUC counts
    assert table["mean"].max() < 1e-3
    assert table.loc[table["metric"] != "auc", "largest"].max() < 1e-6
    assert table["dataset"].nunique() == repository.evaluations.sizes["task"]


def test_probabilities_add_up(repository):
    task = next(t for t, n in zip(repository.evaluations["task"].values,
                                  repository.evaluations["classes"].values, strict=True) if n > 2)
    said = analysis.load_predictions("evaluations", task, 0, "test")
    np.testing.assert_allclose(said.sum("class"), 1, atol=1e-5)
    assert (said >= 0).all()


def test_costs_and_cut_short_count_every_evaluation(evaluations):
    times = training_times(evaluations)
    total = evaluations.sizes["task"] * evaluations.sizes["learner"]
    assert len(times) == total and times["share"].sum() == pytest.approx(1)
    for by in ("family", "task"):
        table = cut_short(evaluations, by)
        assert table["evaluations"].sum() == total
        messages = evaluations["message_text"].values[evaluations["message"].values.ravel()]
        assert table["cut_short"].sum() == sum("ended at the limit" in m for m in messages)
    quick = cut_short(evaluations, "family").set_index("family").loc["KNeighbors"]
    assert quick["cut_short"] == 0


def test_a_chapter_is_about_the_repository_that_was_named(monkeypatch, tmp_path):
    monkeypatch.delenv("DATABASE", raising=False)
    assert chapter_repository() == "evaluations"
    monkeypatch.setenv("DATABASE", "lcdb10")  # curves: no repository
    assert chapter_repository() == "evaluations" and not is_repository("lcdb10")
    monkeypatch.setenv("DATABASE", str(SHIPPED["evaluations"]))
    assert chapter_repository() == str(SHIPPED["evaluations"])
    assert chapter_database("mini") == "mini"
    assert "data/evaluations" in repository_title(str(SHIPPED["evaluations"]))


def test_tasks_and_configs_that_lack_errors_are_left_out(repository, monkeypatch):
    holes = repository.evaluations.copy(deep=True)
    tasks, learners = holes["task"].values, holes["learner"].values
    holes["error"].loc[{"task": tasks[1:], "learner": learners[3]}] = np.nan  # fails mostly
    holes["error"].loc[{"task": tasks[0], "learner": learners[5]}] = np.nan
    monkeypatch.setattr("chapters.repository.contents.open_repository",
                        lambda where: type(repository)(holes, None, None))
    left = open_whole("anywhere").evaluations
    assert learners[3] not in left["learner"].values and learners[5] in left["learner"].values
    assert left["task"].values.tolist() == tasks[1:].tolist()
    holes["error"][:] = np.nan
    with pytest.raises(ValueError, match="BAGS=8"):
        open_whole("anywhere")
