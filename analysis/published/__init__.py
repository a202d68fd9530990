"""The paper's printed numbers, and results of ours that are kept: both are only compared with."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "computed": ["compute_or_recall", "recall"],
    "printed": ["compare", "published_table"]})
