"""Our own repository: errors are those of the stored predictions; what lacks is left out."""

import numpy as np
import pytest
from stored_evaluations import stored_precision

from analysis.portfolios import open_whole


@pytest.fixture(scope="module")
def repository():
    return open_whole("evaluations")


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
