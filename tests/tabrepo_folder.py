"""The repository that TabRepo's own code wrote, and the same with a gap."""

from dataclasses import replace

import numpy as np
from published_data import PUBLISHED, at_hand

from analysis.databases.evaluations import open_repository
from collection.containers.curves import Status

CONTEXT = PUBLISHED / "tabrepo" / "context"


def open_whole():
    """Open it; skips the test where it is not there."""
    return open_repository(at_hand("tabrepo", "context", "to_dir"))


def without(repository, learner, task):
    """Return the repository as if a learner had not been run on a task."""
    known = repository.evaluations.copy(deep=True)
    known["status"].loc[{"learner": learner, "task": task}] = Status.not_run
    for name in ("error", "train_time", "predict_time"):
        known[name].loc[{"learner": learner, "task": task}] = np.nan
    return replace(repository, evaluations=known)
