"""The trial of forecasts: frozen tasks, every rival's forecasts, scores."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
