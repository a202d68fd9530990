"""Methods compared over tasks: orders and what they are worth, normalised places."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "measures": ["normalize_among", "place_among"],
    "ordering": ["Order", "order"],
    "retired": ["leaderboard"],
    "tables": ["load_results", "shipped_studies"]})
