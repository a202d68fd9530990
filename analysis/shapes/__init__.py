"""Shapes of learning curves: monotonicity and convexity violations, peaking, dipping, flatness."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
