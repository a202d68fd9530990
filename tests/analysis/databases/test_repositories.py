"""Subsets, merging and a fallback on the repository that TabRepo's own code wrote."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from published_data import PUBLISHED

from analysis.databases.repositories import (
    RepositoryConflictError,
    merge_repositories,
    open_repository,
)
from collection.container import Status
from collection.naming import UnknownNameError

FOLDER = PUBLISHED / "tabrepo" / "context" / "to_dir"
A, B, C = "KNeighbors_c1_BAG_L1", "RandomForest_c1_BAG_L1", "LinearModel_c1_BAG_L1"


@pytest.fixture
def whole():
    if not FOLDER.exists():
        pytest.skip("needs ../shared/published/tabrepo/context")
    return open_repository(FOLDER)


def without(repository, learner, task):
    """Return the repository as if a learner had not been run on a task."""
    known = repository.evaluations.copy(deep=True)
    known["status"].loc[{"learner": learner, "task": task}] = Status.not_run
    for name in ("error", "train_time", "predict_time"):
        known[name].loc[{"learner": learner, "task": task}] = np.nan
    return replace(repository, evaluations=known)


def test_a_subset_has_what_was_asked_for(whole):
    part = whole.subset(tasks=["wavy-reg"], learners=[B, A], folds=[2, 0])
    assert part.evaluations.sizes["task"] == 1
    assert part.evaluations["learner"].values.tolist() == [B, A]
    assert part.evaluations["fold"].values.tolist() == [2, 0]
    assert part.predictions("wavy-reg", 2, "test", [A]).shape == (1, 50)
    with pytest.raises(UnknownNameError, match="learner 'LinearModel_c1_BAG_L1'"):
        part.predictions("wavy-reg", 2, "test", [C])
    with pytest.raises(UnknownNameError, match="task 'wavy'"):
        whole.subset(tasks=["wavy"])


def test_a_fallback_stands_in_for_what_was_not_run(whole):
    gaps = without(whole, B, "two-moons_b").with_fallback(A)
    found = gaps.predictions("two-moons_b", 1, "test", [C, B, A])
    assert found["learner"].values.tolist() == [C, B, A]
    np.testing.assert_array_equal(found.sel(learner=B), found.sel(learner=A))
    elsewhere = gaps.predictions("wavy-reg", 1, "test", [B, A])
    assert not np.array_equal(elsewhere.sel(learner=B), elsewhere.sel(learner=A))
    with pytest.raises(UnknownNameError, match="fallback learner 'KNeighbors_c1'"):
        whole.with_fallback("KNeighbors_c1")
    with pytest.raises(UnknownNameError, match=r"fold 7\. Known: 0, 1, 2"):
        gaps.predictions("wavy-reg", 7, "test", [A])
    with pytest.raises(UnknownNameError, match=r"repeat 1\. Known: 0"):
        gaps.predictions("wavy-reg", 0, "test", [A], repeat=1)


def test_parts_merge_to_the_whole(whole):
    learners, tasks = (whole.evaluations[d].values.tolist() for d in ("learner", "task"))
    for one, other in ((whole.subset(learners=learners[:3]), whole.subset(learners=learners[2:])),
                       (whole.subset(tasks=tasks[:1]), whole.subset(tasks=tasks[1:]))):
        merged = merge_repositories(one, other)
        for name in ("error", "status", "train_time"):
            xr.testing.assert_equal(*(r.evaluations[name].reset_coords(drop=True)
                                      for r in (merged, whole)))
        for fact in ("metric", "family", "hyperparameters", "kind", "problem"):
            assert (merged.evaluations[fact].values == whole.evaluations[fact].values).all()
        xr.testing.assert_identical(merged.predictions("wavy-reg", 1, "valid", [C, A]),
                                    whole.predictions("wavy-reg", 1, "valid", [C, A]))
        xr.testing.assert_identical(merged.labels("wavy-reg", 1, "test"),
                                    whole.labels("wavy-reg", 1, "test"))


def test_merging_names_every_conflict(whole):
    changed = whole.evaluations.copy(deep=True)
    changed["error"].loc[{"task": "wavy-reg", "learner": A, "fold": 1, "split": "test"}] = 99.0
    changed["error"].loc[{"task": "wavy-reg", "learner": B, "fold": 0, "split": "valid"}] = 9.0
    changed["rows"].loc[{"task": "two-moons_b"}] = 361
    with pytest.raises(RepositoryConflictError) as caught:
        merge_repositories(whole, replace(whole, evaluations=changed))
    message = str(caught.value)
    assert message.startswith("3 contradictions: ")
    assert "task two-moons_b has rows 360.0 and 361.0" in message
    assert f"{A} on wavy-reg, fold 1 has the errors" in message and "and 99" in message
    assert f"{B} on wavy-reg, fold 0" in message


def test_what_neither_has_is_not_run_and_said_so(whole):
    merged = merge_repositories(whole.subset(tasks=["wavy-reg"], learners=[A]),
                                whole.subset(tasks=["two-moons_b"], learners=[B]))
    status = merged.evaluations["status"].sel(repeat=0, fold=0)
    assert status.sel(task="wavy-reg", learner=B) == Status.not_run
    with pytest.raises(KeyError, match=f"No test predictions of {B} on wavy-reg, fold 0"):
        merged.predictions("wavy-reg", 0, "test", [A, B])
