"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here, the rooms as
well, is imported when it is first used, so that a notebook loads only what it calls.
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING

from collection.requirements import check_versions as _check_versions

if TYPE_CHECKING:  # what type checkers and editors read in place of the table
    from analysis.databases.evaluations import (
        load_evaluations as load_evaluations,
    )
    from analysis.databases.evaluations import (
        load_labels as load_labels,
    )
    from analysis.databases.evaluations import (
        load_predictions as load_predictions,
    )
    from analysis.databases.load import (
        find_dataset as find_dataset,
    )
    from analysis.databases.load import (
        find_learner as find_learner,
    )
    from analysis.databases.load import (
        get_curve as get_curve,
    )
    from analysis.databases.load import (
        load_curves as load_curves,
    )
    from analysis.databases.own_curves import (
        from_sklearn as from_sklearn,
    )
    from analysis.databases.own_curves import (
        from_table as from_table,
    )
    from analysis.databases.own_curves import (
        to_sklearn as to_sklearn,
    )
    from analysis.drawing.curve import plot_curve as plot_curve
    from analysis.fitting import fit_curves as fit_curves
    from analysis.leaderboards.tables import (
        load_results as load_results,
    )
    from analysis.leaderboards.tables import (
        load_table as load_table,
    )
    from analysis.shapes import detect_shapes as detect_shapes
    from analysis.statistics.repeats import standard_error as standard_error
    from collection.protocol import LearningCurveSplit as LearningCurveSplit

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
