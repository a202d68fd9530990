"""The learners that compete in model selection, and the curves they compete with."""

import xarray as xr

from analysis.databases.chosen import main_curves
from analysis.databases.counted import NOT_COUNTED
from analysis.databases.lcdb11.stray import without_stray

#: In this order; the paper's choice, min-max, is not in every database.
_SCALINGS = ("none", "minmax", "standard")


def contenders(database: str) -> xr.Dataset:
    """Open the curves that crossing and model selection are studied on.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, outer, inner, anchor[, split])
        ``error_rate`` (splits valid and test) and, where the database has it, ``train_time``
        (CPU seconds), NaN where missing: the datasets that the paper uses, one scaling (none,
        where there is it), no leakage where there is the choice. Left out are the dummy
        classifier, which does not learn, the mixed naive Bayes methods, whose curves equal those
        of plain ones (both as in Section 5.1), and learners with a curve on fewer than half of
        the datasets. Attributes ``database`` and ``scaling``.
    """
    curves = main_curves(database)
    curves = curves[[name for name in ("error_rate", "train_time") if name in curves]]
    scaling = next(s for s in (*_SCALINGS, curves["scaling"].values[0])
                   if s in curves["scaling"].values)
    learners = [name for name in curves["learner"].values if name not in NOT_COUNTED]
    curves = curves.sel(scaling=scaling, learner=learners, drop=True)
    curves = curves.sel(split=["valid", "test"]).load()
    if database.startswith("lcdb11"):
        curves = curves.assign(error_rate=without_stray(curves["error_rate"]))
    there = curves["error_rate"].notnull().any(["outer", "inner", "anchor", "split"])
    curves = curves.isel(dataset=there.any("learner").values)
    held = there.sum("dataset") >= curves.sizes["dataset"] / 2
    return curves.isel(learner=held.values).assign_attrs(database=database, scaling=str(scaling))
