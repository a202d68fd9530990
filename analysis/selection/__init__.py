"""Model selection on stored learning curves: strategies, one harness, one budget accounting."""

from analysis.selection import extrapolate, halving, hyperband, lccv, oracle  # enter STRATEGIES
from analysis.selection.contest import open_contest
from analysis.selection.grid import halving_frame, halving_regrets
from analysis.selection.harness import SETTINGS, compare_strategies, run_strategy
from analysis.selection.ladders import PROCEDURES, Ladders, build_ladders
from analysis.selection.registry import STRATEGIES
from analysis.selection.summary import (
    COSTS,
    compare_groups,
    cost_measure,
    summarise_strategies,
)

__all__ = [
    "COSTS",
    "PROCEDURES",
    "SETTINGS",
    "STRATEGIES",
    "Ladders",
    "build_ladders",
    "compare_groups",
    "compare_strategies",
    "cost_measure",
    "extrapolate",
    "halving",
    "halving_frame",
    "halving_regrets",
    "hyperband",
    "lccv",
    "open_contest",
    "oracle",
    "run_strategy",
    "summarise_strategies",
]
