"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here, the rooms as
well, is imported when it is first used, so that a notebook loads only what it calls.
"""

import lazy_loader as _lazy

from collection.project.requirements import check_versions as _check_versions

# What there is, and its types, stands in __init__.pyi.
_load, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        _check_versions()
    return _load(name)
