"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here is imported
when it is first used, so that a chapter depends only on the modules it calls.
"""

import importlib

_EXPORTS = {
    "load_curves": "analysis.load",
    "find_dataset": "analysis.load",
    "find_learner": "analysis.load",
    "get_curve": "analysis.browse",
    "curve_frame": "analysis.browse",
    "plot_curve": "analysis.browse",
    "plot_train_time": "analysis.browse",
    "meta_features": "analysis.browse",
    "standard_error": "analysis.browse",
    "detect_shapes": "analysis.shapes",
    "fit_curves": "analysis.fitting",
}

__all__ = sorted(_EXPORTS)  # noqa: PLE0605 - the names are those of the table above


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    return getattr(importlib.import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_EXPORTS]
