"""Subsets and a fallback on the repository that TabRepo's own code wrote."""


import numpy as np
import pytest
from tabrepo_folder import open_whole, without

from collection.project.naming import UnknownNameError

A, B, C = "KNeighbors_c1_BAG_L1", "RandomForest_c1_BAG_L1", "LinearModel_c1_BAG_L1"


@pytest.fixture
def whole():
    return open_whole()


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
