"""Model selection on stored learning curves: strategies, one harness, one budget accounting."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
