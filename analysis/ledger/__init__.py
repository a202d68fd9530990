"""Which of the papers' numbers come out again: one ledger of all papers."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "build": ["best_known", "build_ledger", "count_known", "ledger_at_hand"],
    "papers": ["PAPERS", "TOLD", "all_papers", "calibrated", "count_papers", "reasons"],
    "published": ["as_printed", "load_published"]})
