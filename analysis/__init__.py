"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here, the rooms as
well, is imported when it is first used, so that a notebook loads only what it calls.
"""

from importlib import import_module as _import

from collection.requirements import check_versions as _check_versions

#: The functions that most notebooks use, by the module that defines each.
_EXPORTS = {
    "load_curves": "analysis.databases.load",
    "load_evaluations": "analysis.databases.evaluations",
    "load_predictions": "analysis.databases.evaluations",
    "load_labels": "analysis.databases.evaluations",
    "load_results": "analysis.leaderboards.tables",
    "load_table": "analysis.leaderboards.tables",
    "find_dataset": "analysis.databases.load",
    "find_learner": "analysis.databases.load",
    "from_sklearn": "analysis.databases.own_curves",
    "from_table": "analysis.databases.own_curves",
    "to_sklearn": "analysis.databases.own_curves",
    "LearningCurveSplit": "collection.protocol",
    "get_curve": "analysis.databases.load",
    "plot_curve": "analysis.drawing.curve",
    "standard_error": "analysis.statistics.repeats",
    "detect_shapes": "analysis.shapes",
    "fit_curves": "analysis.fitting",
}
#: The rooms, in which the rest lies: `analysis.ensembles.select_ensemble`.
_ROOMS = ("calibration", "comparison", "databases", "drawing", "ensemble_curves", "ensembles",
          "extrapolation", "fitting", "leaderboards", "portfolios", "published", "report",
          "selection", "shapes", "statistics")

__all__ = sorted([*_EXPORTS, *_ROOMS])  # noqa: PLE0605 - the names are those of the tables above


def __getattr__(name: str) -> object:
    if name in _ROOMS or name in _EXPORTS:
        _check_versions()
    if name in _ROOMS:
        return _import(f"analysis.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    return getattr(_import(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
