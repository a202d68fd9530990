"""The curves that the trial's tasks were drawn from, for rivals that see other learners' curves."""

from functools import lru_cache

import xarray as xr

from analysis.databases.chapter_curves import main_scaling, validation_errors
from analysis.databases.load import load_curves
from analysis.extrapolation.folds import training_datasets
from analysis.statistics.families import family_of
from collection.containers.learner_names import NOT_COUNTED

#: Databases whose curves are asked for.
SOURCES = ("lcdb10", "lcdb11", "mini", "regression", "large_numbers", "large_classes",
           "lcdb11-anew")


def own_curves() -> dict[str, xr.DataArray]:
    """Return error rates by source, dims (dataset, learner, anchor) and (outer, inner) or not."""
    torn = {family_of(d) for d in torn_datasets()}
    found = {}
    for source in SOURCES:
        database = "lcdb11-summary" if source == "lcdb11" else source
        if source in ("regression", "large_numbers"):
            errors = load_curves(database)["relative_rmse"].sel(split="valid").isel(
                scaling=0, leakage=0, drop=True).clip(0, 1)  # 1 is the error of the mean
        else:
            errors = validation_errors(database)
            errors = errors.sel(scaling=main_scaling(errors), drop=True)
        learners = [n for n in errors["learner"].values if n not in NOT_COUNTED
                    and not n.startswith(("Dummy", "sklearn."))]
        fair = [family_of(d) not in torn for d in errors["dataset"].values]
        found[source] = errors.sel(learner=learners).isel(dataset=fair).load()
    return found


@lru_cache(maxsize=1)
def torn_datasets() -> frozenset[str]:
    """Return training datasets whose family was in several folds: none of which judges fairly.

    It is empty right after `make extrapolators`; what the registry has learnt since is here.
    """
    table = training_datasets()
    torn = table.groupby("family")["fold"].transform("nunique") > 1
    return frozenset(table.index[torn.to_numpy(bool)])
