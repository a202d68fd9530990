"""Drawing: curves, dots with intervals, bands, heatmaps, histograms, tables of a page."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
