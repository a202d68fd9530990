"""Shapes of learning curves: monotonicity and convexity violations, peaking, dipping, flatness."""

from analysis.shapes.densify import published_lcdb10_cube
from analysis.shapes.detect import detect_shapes
from analysis.shapes.local import Segment, count_peaks, local_segments
from analysis.shapes.procedures import PROCEDURES, Procedure

__all__ = [
    "PROCEDURES",
    "Procedure",
    "Segment",
    "count_peaks",
    "detect_shapes",
    "local_segments",
    "published_lcdb10_cube",
]
