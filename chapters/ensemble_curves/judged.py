"""What a database of ensembles holds; mean test curves of members and ensembles side by side."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from collection.containers.curves import Status, only_dims

HINDSIGHT = "Best member, chosen after seeing"
FACTS = ("rows", "features", "classes", "train_size", "valid_size", "test_size")


def judged_errors(curves: xr.Dataset) -> xr.DataArray:
    """Return the test error rates of a database of ensembles.

    Parameters
    ----------
    curves : xarray.Dataset
        As `analysis.load_curves` opens it, of one scaling and leakage.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        NaN where there is no such fit.

    Raises
    ------
    ValueError
        Where there are several scalings or leakages: choose one.
    """
    if curves.sizes["scaling"] * curves.sizes["leakage"] > 1:
        raise ValueError("Ensembles are compared under one scaling and leakage; choose them with "
                         ".sel(scaling=['…'], leakage=['…']).")
    errors = curves["error_rate"].sel(split="test").isel(scaling=0, leakage=0)
    return only_dims(errors).transpose("dataset", "learner", "outer", "inner", "anchor").load()


def member_names(learners: Sequence[str]) -> list[str]:
    """Return the learners that are no ensembles, in their order."""
    return [name for name in map(str, learners) if name not in ENSEMBLE_CURVES]


def ensemble_names(learners: Sequence[str]) -> list[str]:
    """Return the learners that are ensembles, in the registry's order."""
    return [name for name in ENSEMBLE_CURVES if name in set(map(str, learners))]


def common_means(errors: xr.DataArray) -> xr.DataArray:
    """Return mean curves at the anchors that every dataset has, and that of the best member.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, anchor)
        Means over the repeats. One learner more, `HINDSIGHT`: at each anchor of a dataset, the
        member whose mean test error is lowest, which nobody can know beforehand. A member without
        a value in some repeat cannot be it.
    """
    mean = errors.mean(["outer", "inner"])
    own = mean.sel(learner=ensemble_names(errors["learner"].values))
    mean = mean.sel(anchor=own.notnull().any("learner").all("dataset"))
    members = errors.sel(learner=member_names(errors["learner"].values), anchor=mean["anchor"])
    lowest = members.mean(["outer", "inner"], skipna=False).min("learner")
    return xr.concat([mean, lowest.expand_dims(learner=np.array([HINDSIGHT], object))], "learner")


def datasets_table(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per dataset: ``dataset`` (name), its sizes, ``anchors`` (how many)."""
    tried = curves["status"] != Status.not_run
    anchors = tried.any([d for d in tried.dims if d not in ("dataset", "anchor")]).sum("anchor")
    return pd.DataFrame({"dataset": curves["name"].values,
                         **{fact: curves[fact].values for fact in FACTS},
                         "anchors": anchors.values})
