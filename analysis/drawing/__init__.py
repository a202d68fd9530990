"""Drawing: curves, dots with intervals, bands, heatmaps, histograms, tables of a page."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "chart": ["draw"],
    "charts": ["draw_bands", "draw_dots", "draw_heatmap", "figure"],
    "curve": ["draw_curves", "plot_curve"],
    "style": ["PALETTE", "SHAPE_COLOURS", "use_style"],
    "tables": ["interval_texts", "with_intervals"]})
