"""Methods compared over tasks: orders and what they are worth, normalised places."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
