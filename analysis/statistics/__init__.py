"""Estimates with intervals over families of datasets, and what near-duplicates are."""

import analysis.rooms as _lazy
from analysis.retired import renamed as _renamed

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
__getattr__ = _renamed(__getattr__, __name__, {"exact_ends": "exact_if_few"})
