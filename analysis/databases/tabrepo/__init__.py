"""Repositories of TabRepo: what its `to_dir` writes, and its official contexts."""

from analysis.databases.tabrepo.container import as_evaluations, as_labels, as_predictions
from analysis.databases.tabrepo.contexts import (
    check_tables,
    default_folder,
    find_context,
    official_contexts,
)
from analysis.databases.tabrepo.layout import TabRepoError, is_tabrepo
from analysis.databases.tabrepo.repository import TabRepo, find_tabrepo

__all__ = ["TabRepo", "TabRepoError", "as_evaluations", "as_labels", "as_predictions",
           "check_tables", "default_folder", "find_context", "find_tabrepo", "is_tabrepo",
           "official_contexts"]
