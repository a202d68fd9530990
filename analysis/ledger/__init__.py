"""Published against computed: a row per number of the paper that some database yields."""

from analysis.ledger.build import build_ledger, count_numbers, count_verdicts
from analysis.ledger.published import load_inconsistencies, load_published

__all__ = ["build_ledger", "count_numbers", "count_verdicts", "load_inconsistencies",
           "load_published"]
