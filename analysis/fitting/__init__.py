"""Fitting curve models to learning curves, thousands at a time."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
