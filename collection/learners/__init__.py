"""The learners: one registry, by the paper's names."""

from collection.learners.learner import LearnerSpecError
from collection.learners.registry import REGISTRY, Learner, find_learner

__all__ = ["REGISTRY", "Learner", "LearnerSpecError", "find_learner"]
