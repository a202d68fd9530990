"""Which repository the chapter is about, and what of it is whole."""

import os
from pathlib import Path

import numpy as np

from analysis.databases.evaluations import SHIPPED, Repository, is_repository, open_repository
from collection.containers.curves import Status
from collection.project.paths import ROOT

DEFAULT = "evaluations"


def chapter_repository() -> str:
    """Return the repository that a chapter uses: that of ``make book DATABASE=…``, or our own."""
    named = os.environ.get("DATABASE", "")
    return named if named and is_repository(named) else DEFAULT


def repository_title(where: str) -> str:
    """Return the name of a repository in words; a folder's is its path, short in the project."""
    if where in SHIPPED:
        return "our own repository"
    path = Path(where)
    return f"the repository {path.relative_to(ROOT) if path.is_relative_to(ROOT) else where}"


def open_whole(where: str | Path) -> Repository:
    """Open a repository with the tasks and configs that have both errors everywhere.

    Configs that failed on more than half of the tasks are left out first, then tasks on which one
    of the others did. Learners that are no configs (TabRepo's baselines) are left out.

    Raises
    ------
    ValueError
        Where nothing is left.
    """
    repository = open_repository(where)
    known = repository.evaluations
    if "kind" in known.coords and known["kind"].dims == ("learner",):
        known = known.isel(learner=np.flatnonzero(known["kind"].values == "config"))
    run = (known["status"] != Status.not_run).any("learner")
    error = known["error"].sel(split=["valid", "test"])
    has = np.isfinite(error).all("split") | ~run
    often = has.mean(["task", "repeat", "fold"]) > 0.5
    known = known.isel(learner=np.flatnonzero(often.values))
    whole = has.isel(learner=np.flatnonzero(often.values)).all(["learner", "repeat", "fold"])
    whole &= run.any(["repeat", "fold"])
    if not often.any() or not whole.any():
        raise ValueError(f"{where} has no task on which its configs all have validation and test "
                         "errors. Evaluate with BAGS=8 (or another number of bags), which gives "
                         "validation errors.")
    return repository.subset(known["task"].values[whole.values].tolist(),
                             known["learner"].values.tolist())

