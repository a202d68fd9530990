"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here is imported
when it is first used, so that a chapter depends only on the modules it calls.
"""

import importlib

_EXPORTS = {
    "load_curves": "analysis.databases.load",
    "load_evaluations": "analysis.databases.evaluations",
    "load_predictions": "analysis.databases.evaluations",
    "load_labels": "analysis.databases.evaluations",
    "find_dataset": "analysis.databases.load",
    "find_learner": "analysis.databases.load",
    "get_curve": "analysis.databases.one_curve",
    "plot_curve": "analysis.drawing.curve",
    "standard_error": "analysis.intervals.repeats",
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
