"""Curves of ensembles beside those of their members, and of the best one after seeing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import adjusted_p
from collection.containers.curves import only_dims
from collection.protocol.splits import split_sizes

HINDSIGHT = "Best member, chosen after seeing"


def judged_errors(curves: xr.Dataset, split: str = "test") -> xr.DataArray:
    """Return the error rates of a database of ensembles, on test rows unless another is named.

    Parameters
    ----------
    curves : xarray.Dataset
        As `analysis.load_curves` opens it, of one scaling and leakage.
    split : {"test", "valid", "train"}

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
    errors = curves["error_rate"].sel(split=split).isel(scaling=0, leakage=0)
    return only_dims(errors).transpose("dataset", "learner", "outer", "inner", "anchor").load()


def member_names(learners: Sequence[str]) -> list[str]:
    """Return the learners that are no ensembles, in their order."""
    # Older stores have ensembles that were chosen on few rows, such as "Caruana on 10".
    return [name for name in map(str, learners)
            if name.partition(" on ")[0] not in ENSEMBLE_CURVES]


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


def refitted_pick(curves: xr.Dataset) -> xr.DataArray:
    """Return the errors of the picked member, trained again on the validation rows as well.

    An ensemble has these rows to choose its weights. Who picks a member with them can then train
    it on all: its error is that of its own mean curve at as many rows.

    Parameters
    ----------
    curves : xarray.Dataset
        As `judged_errors` takes them, with a coordinate ``rows``.

    Returns
    -------
    xarray.DataArray, dims (dataset, anchor)
        Means over the repeats, in each of which the member with the lowest validation error is
        picked (of equal ones their mean); between two anchors linear in the logarithm of rows,
        beyond the last the error there.
    """
    members = member_names(curves["learner"].values)
    valid, test = (judged_errors(curves, split).sel(learner=members)
                   for split in ("valid", "test"))
    lowest = valid == valid.min("learner")
    picked = (lowest / lowest.sum("learner")).mean(["outer", "inner"])
    mean, anchors = test.mean(["outer", "inner"]), curves["anchor"].values
    later = np.full(mean.shape, np.nan)
    for found, own, rows in zip(later, mean.values, curves["rows"].values, strict=True):
        more = np.log(anchors + split_sizes(int(rows))[1])
        for member in np.flatnonzero(np.isfinite(own).any(axis=1)):
            there = np.isfinite(own[member])
            found[member] = np.interp(more, np.log(anchors[there]), own[member, there])
    there = mean.notnull().any("learner")
    return (picked * mean.copy(data=later)).sum("learner").where(there)


def advantages(mean: xr.DataArray, ensembles: Sequence[str],
               baselines: Sequence[str]) -> pd.DataFrame:
    """Return the difference in test error of ensembles to baselines.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner[, anchor])
        As `common_means`, at anchors or over them all.
    ensembles, baselines : sequence of str
        Learners of these.

    Returns
    -------
    pandas.DataFrame
        Columns ensemble, baseline, anchor (rows; 0 where there is none), difference, low, high
        (mean over datasets and its 95 % interval from resampling them, percentage points; below 0
        the ensemble is better), p (sign flips of datasets, adjusted for all rows of the table),
        better (datasets on which it is), datasets.
    """
    mean = mean if "anchor" in mean.dims else mean.expand_dims(anchor=[0])
    pairs = [(e, b) for b in baselines for e in ensembles if e != b]
    parts = [100 * (mean.sel(learner=e) - mean.sel(learner=b)).transpose("dataset", "anchor").values
             for e, b in pairs]
    differences = np.concatenate(parts, axis=1)
    low, high = ratio_of_sums_interval(differences, np.ones(len(differences)),
                                       mean["dataset"].values)
    places = pd.MultiIndex.from_tuples(
        [(*pair, int(anchor)) for pair in pairs for anchor in mean["anchor"].values],
        names=["ensemble", "baseline", "anchor"])
    return pd.DataFrame({
        "difference": differences.mean(axis=0), "low": low, "high": high,
        "p": adjusted_p(differences), "better": (differences < 0).sum(axis=0),
        "datasets": len(differences)}, places).reset_index()
