"""Methods compared over tasks: orders and what they are worth, normalised places."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "by_size": ["OrderBySize", "order_by_size", "results_of_curves",
                "small_and_large"],
    "by_size_page": ["draw_by_size"],
    "measures": ["normalize_among", "place_among"],
    "order_page": ["draw_order"],
    "ordering": ["Order", "order"],
    "properties": ["correlate_properties", "correlation_power"],
    "retired": ["leaderboard"],
    "stability": ["claim_worth", "suite_stability", "task_ranks"],
    "studies": ["agreement", "cells_in_words", "method_words", "settle_claims", "shared_pairs",
                "summarise_order"],
    "tables": ["classic_study", "describe_studies", "known_rows", "load_results",
               "shipped_studies"]})
