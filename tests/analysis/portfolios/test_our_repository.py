"""Our own repository: as large as it says, errors exactly those of the stored predictions."""

import numpy as np
import pytest
from stored_evaluations import stored_precision

from analysis.databases.evaluations import SHIPPED
from analysis.portfolios import open_whole
from collection.containers.curves import Status
from collection.learners.families import FAMILIES
from lab.shipped.evaluations import TASKS, shipped_bytes

LEAST_DATASETS, LEAST_CONFIGS, MOST_BYTES = 30, 45, 40e6


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
    assert set(evaluations["spec"].values) <= set(TASKS)
    assert "regression" in evaluations["problem"].values
    assert (evaluations["status"] == Status.ok).all()
    assert shipped_bytes(SHIPPED["evaluations"]) < MOST_BYTES


def test_errors_are_those_of_the_stored_predictions(repository):
    table = stored_precision(repository)  # rounding makes ties, which AUC counts
    assert table["mean"].max() < 1e-3
    assert table.loc[table["metric"] != "auc", "largest"].max() < 1e-6
    assert table["dataset"].nunique() == repository.evaluations.sizes["task"]


def test_tasks_and_configs_that_lack_errors_are_left_out(repository, monkeypatch):
    holes = repository.evaluations.copy(deep=True)
    tasks, learners = holes["task"].values, holes["learner"].values
    holes["error"].loc[{"task": tasks[1:], "learner": learners[3]}] = np.nan  # fails mostly
    holes["error"].loc[{"task": tasks[0], "learner": learners[5]}] = np.nan
    monkeypatch.setattr("analysis.portfolios.opening.open_repository",
                        lambda where: type(repository)(holes, None, None))
    left = open_whole("anywhere").evaluations
    assert learners[3] not in left["learner"].values and learners[5] in left["learner"].values
    assert left["task"].values.tolist() == tasks[1:].tolist()
    holes["error"][:] = np.nan
    with pytest.raises(ValueError, match="BAGS=8"):
        open_whole("anywhere")
