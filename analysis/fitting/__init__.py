"""Fitting curve models to learning curves, thousands at a time."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "by_shape": ["BEST", "ILL", "SHAPE_CLASSES", "WELL", "best_of_each_kind", "compare_kinds",
                 "fit_ratios", "monotone_floor", "predict_ends", "with_classes"],
    "batch": ["FitStatus"],
    "curves": ["fit_curves"],
    "lmfit_models": ["fit_one", "lmfit_model"],
    "registry": ["MODELS"]})
