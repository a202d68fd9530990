"""What the papers print, and results of ours that are kept for those who lack the curves."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "computed": ["compute_or_recall", "recall"],
    "printed": ["CLOSE", "DIFFERENT", "EQUAL", "NEEDS", "OUTSIDE", "WITHIN", "beside_printed",
                "hold_against", "like_for_like", "printed_shapes", "printed_shares",
                "published_table"]})
