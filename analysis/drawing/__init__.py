"""Drawing: curves, dots with intervals, bands, heatmaps, histograms, tables of a page."""

from analysis.drawing.charts import draw_bands, draw_dots, draw_heatmap, draw_histogram, figure
from analysis.drawing.curve import draw_convexity, draw_curves, draw_monotonicity, plot_curve
from analysis.drawing.style import PALETTE, SCALING_COLOURS, SHAPE_COLOURS, use_style

__all__ = ["PALETTE", "SCALING_COLOURS", "SHAPE_COLOURS", "draw_bands", "draw_convexity",
           "draw_curves", "draw_dots", "draw_heatmap", "draw_histogram", "draw_monotonicity",
           "figure", "plot_curve", "use_style"]
