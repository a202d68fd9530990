"""Repositories of TabRepo: what its `to_dir` writes, and its official contexts."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "container": ["as_evaluations", "as_labels", "as_predictions"],
    "contexts": ["check_tables", "default_folder", "find_context", "official_contexts"],
    "layout": ["TabRepoError", "is_tabrepo"],
    "repository": ["TabRepo", "find_tabrepo"]})
