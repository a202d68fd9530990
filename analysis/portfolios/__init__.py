"""Portfolios of configs: learned on some datasets, judged on others."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
