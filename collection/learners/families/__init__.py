"""Families of configs: a learner with a search space, its default and random configs."""

from collection.learners.families.configs import Config, draw_configs, find_config, is_config
from collection.learners.families.registry import FAMILIES, Family

__all__ = ["FAMILIES", "Config", "Family", "draw_configs", "find_config",
           "is_config"]
