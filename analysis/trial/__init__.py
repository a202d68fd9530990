"""The trial of forecasts: frozen tasks, every rival's forecasts, entries by anybody."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "entry": ["all_forecasts", "place", "read_entry", "shipped_entries"],
    "scoring": ["by_family", "order_rivals", "ratio", "scopes", "score", "summarise"],
    "tasks": ["Trial", "open_trial"]})
