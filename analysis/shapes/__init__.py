"""Shapes of learning curves: monotonicity and convexity violations, peaking, dipping, flatness."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "detect": ["dense_lcdb10_cube", "detect_shapes", "on_lcdb10_anchors", "published_lcdb10_cube"],
    "grids": ["GRID_WORDS", "denser_adds", "on_grid", "shares_by_grid"],
    "local": ["peaks_by_method"],
    "lookalikes": ["scattered", "well_behaved"],
    "peaks": ["peaks_against_features", "ratio_interval"],
    "rates": ["curves_table", "large_violations", "lasting_dips", "shape_shares", "share_of",
              "shares_by_definition", "shares_by_measure"],
    "recommend": ["confirmed", "levels_kept", "recommended", "smallest_seen"],
    "seeds": ["equal_over_seeds", "moves_in_fifths", "seed_variance"],
    "significance": ["PROCEDURES", "Procedure", "find_procedure", "in_words"],
    "transitions": ["detect_transitions"],
    "treatments": ["curve_shifts", "difference_table", "differences_by_size", "different_share",
                   "judge_scalings", "leakage_differences", "paired_effects", "swap_leakage",
                   "table8_tests"],
    "usefulness": ["below_dummy", "judge_by_use", "shares_by_use"],
    "verdicts": ["SHAPE_LABELS", "VERDICTS"]})
