"""What the papers print, and results of ours that are kept for those who lack the curves."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
