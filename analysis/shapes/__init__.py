"""Shapes of learning curves: monotonicity and convexity violations, peaking, dipping, flatness."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "detect": ["dense_lcdb10_cube", "detect_shapes", "on_lcdb10_anchors", "published_lcdb10_cube"],
    "significance": ["PROCEDURES", "Procedure"]})
