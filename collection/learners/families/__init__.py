"""Families of configs: a learner with a search space, its default and random configs."""

from collection.learners.families.registry import (
           FAMILIES,
           Config,
           Family,
           draw_configs,
           find_config,
           is_config,
)

__all__ = ["FAMILIES", "Config", "Family", "draw_configs", "find_config",
           "is_config"]
