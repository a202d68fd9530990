"""Results of ours that are kept, for those who lack the curves that they need."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "computed": ["compute_or_recall", "recall"]})
