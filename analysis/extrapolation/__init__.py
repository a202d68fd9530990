"""Extrapolators: from the first part of curves to quantiles of the error at larger sizes."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
