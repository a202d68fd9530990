"""Model selection on stored learning curves: strategies, one harness, one budget accounting."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "contest": ["open_contest"],
    "crossing": ["crossing_frame", "crossing_probabilities", "crossings"],
    "harness": ["COSTS", "SETTINGS", "compare_strategies", "cost_measure", "halving_frame",
                "run_strategy", "summarise_strategies"],
    "lowest": ["best_errors", "mean_errors", "paired_by_size", "paired_with", "picking_optimism",
               "reference_learner", "size_groups", "sizes_of_summary"],
    "ladders": ["PROCEDURES", "Ladders", "build_ladders"],
    "next_order": ["forecast_order"],
    "overtaking": ["lead_lasts", "lead_over", "overtakes", "shares_ahead"],
    "races": ["WAYS", "every_set", "extreme_sets", "race_by_halves", "random_sets"],
    "registry": ["STRATEGIES"]})
