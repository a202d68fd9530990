"""Analyse learning curves: load them, detect their shapes, fit, cross, halve, draw.

Pure functions: named arrays in, named arrays or tidy tables out. What is listed here, the rooms as
well, is imported when it is first used, so that a notebook loads only what it calls.
"""

import lazy_loader as _lazy

from collection.requirements import check_versions as _check_versions

_load, __dir__, __all__ = _lazy.attach(
    __name__,
    # The rooms, in which the rest lies: `analysis.ensembles.select_ensemble`.
    submodules=["calibration", "comparison", "databases", "drawing", "ensemble_curves", "ensembles",
                "extrapolation", "fitting", "leaderboards", "portfolios", "published", "report",
                "selection", "shapes", "statistics"],
    # The functions that most notebooks use, by the module that defines each.
    submod_attrs={
        "databases.load": ["find_dataset", "find_learner", "get_curve", "load_curves"],
        "databases.evaluations": ["load_evaluations", "load_labels", "load_predictions"],
        "databases.own_curves": ["from_sklearn", "from_table"],
        "drawing.curve": ["plot_curve"],
        "fitting": ["fit_curves"],
        "leaderboards.tables": ["load_results", "load_table"],
        "shapes": ["detect_shapes"],
        "statistics.repeats": ["standard_error"],
    })


def __getattr__(name: str) -> object:
    if name in __all__:
        _check_versions()
    return _load(name)
