"""The learners: one registry, by the paper's names."""

from collection.learners.registry import (
    REGISTRY,
    Learner,
    find_learner,
)
from collection.learners.spec import LearnerSpecError

__all__ = ["REGISTRY", "Learner", "LearnerSpecError", "find_learner"]
