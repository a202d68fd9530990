"""The paper's printed numbers, and results of ours that are kept: both are only compared with."""

from analysis.published.computed import compute_or_recall, recall
from analysis.published.printed import compare, published_table

__all__ = ["compare", "compute_or_recall", "published_table", "recall"]
