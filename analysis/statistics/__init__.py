"""Estimates with intervals over families of datasets, and what near-duplicates are."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
