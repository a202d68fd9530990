"""What a repository of evaluations holds: how good its configs are, how alike, and what they cost.

TabRepo, Sections 3 and 4, Figures 1 and 7, Tables 9 and 10.
"""

from analysis.repositories.costs import (
    cost_shares,
    cut_short,
    training_times,
)
from analysis.repositories.likeness import first_configs, rank_correlations, rank_table
from analysis.repositories.open import chapter_repository, open_whole, repository_title
from analysis.repositories.precision import stored_precision

__all__ = ["chapter_repository", "cost_shares", "cut_short", "first_configs", "open_whole",
           "rank_correlations", "rank_table", "repository_title", "stored_precision",
           "training_times"]
