"""Shapes of learning curves: monotonicity and convexity violations, peaking, dipping, flatness."""

from analysis.shapes.densify import (
    dense_lcdb10_cube,
    on_lcdb10_anchors,
    published_lcdb10_cube,
)
from analysis.shapes.detect import detect_shapes
from analysis.shapes.procedures import PROCEDURES, Procedure
from analysis.shapes.transitions import detect_transitions

__all__ = [
    "PROCEDURES",
    "Procedure",
    "dense_lcdb10_cube",
    "detect_shapes",
    "detect_transitions",
    "on_lcdb10_anchors",
    "published_lcdb10_cube",
]
