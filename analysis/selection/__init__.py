"""Model selection on stored learning curves: strategies, one harness, one budget accounting."""

from analysis.selection.contest import open_contest
from analysis.selection.harness import (
    SETTINGS,
    compare_strategies,
    halving_frame,
    run_strategy,
)
from analysis.selection.ladders import PROCEDURES, Ladders, build_ladders
from analysis.selection.registry import STRATEGIES
from analysis.selection.summary import (
    COSTS,
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
    "compare_strategies",
    "cost_measure",
    "halving_frame",
    "open_contest",
    "run_strategy",
    "summarise_strategies",
]
