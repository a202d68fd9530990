"""Learning curves of ensembles and portfolios, from predictions stored at every anchor."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
