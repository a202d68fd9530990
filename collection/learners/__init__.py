"""The learners: one registry, by the paper's names."""

from collection.learners.registry import (
    REGISTRY,
    Learner,
    LearnerSpecError,
    find_learner,
)

__all__ = ["REGISTRY", "Learner", "LearnerSpecError", "find_learner"]
