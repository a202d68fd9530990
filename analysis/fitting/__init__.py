"""Fitting curve models to learning curves, thousands at a time."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "batch": ["FitStatus"],
    "curves": ["fit_curves"],
    "lmfit_models": ["fit_one", "lmfit_model"]})
