"""Portfolios of configs: learned on some datasets, judged on others."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "families": ["compare_families", "picks_by_place", "take_configs", "time_shares"],
    "how_many": ["learned_on", "rival_differences", "tell_apart"],
    "matrix": ["ErrorMatrix", "best_on_average", "compare_sizes", "left_out_orders",
               "lowest_by_size", "open_matrix", "random_by_size", "total_by_size"],
    "opening": ["TaskPredictions", "TaskRecord", "in_memory", "open_records",
                "open_whole"],
    "promises": ["promised_gains"],
    "select": ["PROCEDURES", "Portfolio", "select_portfolio"],
    "study": ["LeftOut", "evaluate_ensembles", "evaluate_portfolio", "leave_one_out",
              "search_randomly", "summarise", "trained_configs", "with_places"]})
