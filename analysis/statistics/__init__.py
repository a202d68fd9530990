"""Estimates with intervals over families of datasets, and what near-duplicates are."""

from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.families import count_families, families, family_of, near_duplicates
from analysis.statistics.repeats import standard_error
from analysis.statistics.summary import Summary, summarise

__all__ = ["Summary", "count_families", "families", "family_of", "mean_interval",
           "near_duplicates", "standard_error", "summarise"]
