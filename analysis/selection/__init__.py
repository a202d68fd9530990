"""Model selection on stored learning curves: strategies, one harness, one budget accounting."""

from analysis.selection.contest import open_contest
from analysis.selection.harness import (
    SETTINGS,
    compare_strategies,
    halving_frame,
    halving_regrets,
    run_strategy,
)
from analysis.selection.ladders import PROCEDURES, Ladders, build_ladders
from analysis.selection.registry import STRATEGIES
from analysis.selection.summary import (
    COSTS,
    cheapest_near_full,
    compare_groups,
    cost_measure,
    real_strategies,
    summarise_strategies,
)

__all__ = [
    "COSTS",
    "PROCEDURES",
    "SETTINGS",
    "STRATEGIES",
    "Ladders",
    "build_ladders",
    "cheapest_near_full",
    "compare_groups",
    "compare_strategies",
    "cost_measure",
    "halving_frame",
    "halving_regrets",
    "open_contest",
    "real_strategies",
    "run_strategy",
    "summarise_strategies",
]
