"""What a database of ensembles holds; mean test curves of members and ensembles side by side."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from analysis.ensembles import ENSEMBLERS, METRICS
from collection.container import Status, only_dims

HINDSIGHT = "Best member, known afterwards"
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
    """Return mean curves at the anchors that every dataset has, and the best member's in hindsight.

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


def members_table(curves: xr.Dataset, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per member: ``member``, ``learner``, ``absent`` (percent of its fits).

    Absent is a member without usable class probabilities, mostly because its fit failed; ``from``
    and ``to`` are the anchors between which that happened (NaN where never).
    """
    rows = []
    for name in member_names(curves["learner"].values):
        status = curves["status"].sel(learner=name)
        tried, failed = status != Status.not_run, ~status.isin([Status.ok, Status.not_run])
        at = curves["anchor"].values[failed.any([d for d in failed.dims if d != "anchor"]).values]
        rows.append({"member": titles.get(name, name), "learner": name,
                     "absent": 100 * float(failed.sum() / tried.sum()),
                     "from": at.min() if len(at) else None, "to": at.max() if len(at) else None})
    return pd.DataFrame(rows).astype({"from": "Int64", "to": "Int64"})


def ensembles_table(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per ensemble: its name, what chooses it, to make what low, among which."""
    ways = [ENSEMBLE_CURVES[name] for name in ensemble_names(curves["learner"].values)]
    free = "equal_weights"
    return pd.DataFrame([{
        "ensemble": way.name, "chosen by": ENSEMBLERS[way.ensembler].title,
        "to make low": "–" if way.ensembler == free else METRICS[way.metric].title.lower(),
        "among": "all members" if way.of is None else
                 f"the first {way.of} of a portfolio learned on the other datasets",
    } for way in ways])
