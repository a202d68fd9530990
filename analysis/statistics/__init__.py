"""Estimates with intervals over families of datasets, and what near-duplicates are."""

import analysis.rooms as _lazy
from analysis.retired import renamed as _renamed

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "bootstrap": ["exact_if_few", "holm", "mean_interval", "ratio_of_sums_interval"],
    "exchange": ["exchange_p"],
    "families": ["count_families", "families", "family_of", "near_duplicates"],
    "halves": ["chosen_elsewhere", "leaders"],
    "headlines": ["excluded", "leader_if_fair", "left_out"],
    "shares": ["exact_share", "family_share"],
    "signed_ranks": ["signed_rank_tests"],
    "sign_flips": ["adjusted_p", "each_p", "family_p"],
    "summary": ["Summary", "standard_error", "summarise", "summarise_ratio"]})
__getattr__ = _renamed(__getattr__, __name__, {"exact_ends": "exact_if_few"})
