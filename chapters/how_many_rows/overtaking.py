"""From how many rows on a learner is ahead of logistic regression for good."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_data import main_curves
from analysis.databases.lcdb11.files import NOT_COUNTED
from analysis.selection.crossing import last_true
from analysis.statistics.families import families_by_dataset
from analysis.statistics.summary import TIE
from collection.project.naming import UnknownNameError

BASELINE = "LogisticRegression"
#: What the chapter calls complex: ensembles of trees, kernels and networks, as far as a database
#: has them; the tables have every learner.
COMPLEX = ("ens.GradientBoosting", "ens.RandomForest", "ens.ExtraTrees", "SVM_RBF", "MLP",
           "CatBoost", "RealMLP", "TabNet", "TabPFNv2")
SIZES = (50, 100, 200, 500, 1000, 5000)  # rows that the shares are asked for


@dataclass(frozen=True)
class OvertakingStudy:
    """What the chapter needs to know of a database.

    Attributes
    ----------
    database : str
    errors, apart, mean : xarray.DataArray
        From `open_errors`, `differences` and `mean_difference`, against logistic regression.
    cases : xarray.Dataset
        From `overtaking`.
    family : pandas.Series
        From `analysis.statistics.families.families_by_dataset`.
    """

    database: str
    errors: xr.DataArray
    apart: xr.DataArray
    mean: xr.DataArray
    cases: xr.Dataset
    family: pd.Series

    @property
    def complex(self) -> list[str]:
        """Return which of `COMPLEX` the database has, in that order."""
        return [name for name in COMPLEX if name in self.apart["learner"].values]


def study_overtaking(database: str) -> OvertakingStudy:
    """Open a database and find from how many rows on logistic regression is overtaken."""
    errors = open_errors(database)
    apart = differences(errors)
    mean = mean_difference(apart)
    return OvertakingStudy(database, errors, apart, mean, overtaking(mean),
                           families_by_dataset(errors))


def open_errors(database: str, scaling: str = "none", split: str = "test") -> xr.DataArray:
    """Open the error rates that are compared.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`; the datasets that the paper uses, without leakage
        where there is the choice.
    scaling, split : str
        Of the features, the same for all learners; and what the error is measured on.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        In memory, NaN where missing. Without the learner that learns nothing and those that equal
        another (`NOT_COUNTED`). Repeats where the database has them.

    Raises
    ------
    UnknownNameError
        Where the database has no scaling or split of that name.
    """
    errors = main_curves(database)["error_rate"]
    for dim, name in (("scaling", scaling), ("split", split)):
        if name not in errors[dim].values:
            raise UnknownNameError(dim, name, errors[dim].values.tolist())
    learners = [n for n in errors["learner"].values if n not in NOT_COUNTED]
    errors = errors.sel(scaling=scaling, split=split, learner=learners, drop=True).load()
    repeats = [d for d in ("outer", "inner") if d in errors.dims]
    return errors.transpose("dataset", "learner", *repeats, "anchor")


def differences(errors: xr.DataArray, baseline: str = BASELINE) -> xr.DataArray:
    """Return how much higher each learner's error rate is than the baseline's.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        From `open_errors`.
    baseline : str
        A learner.

    Returns
    -------
    xarray.DataArray, of the same dims, without the baseline
        Below 0 the learner is ahead, on the same splits of the same rows; NaN where either has no
        value.

    Raises
    ------
    UnknownNameError
        Where there is no such learner.
    """
    if baseline not in errors["learner"].values:
        raise UnknownNameError("learner", baseline, errors["learner"].values.tolist())
    others = errors["learner"].values[errors["learner"].values != baseline]
    return errors.sel(learner=others) - errors.sel(learner=baseline, drop=True)


def mean_difference(apart: xr.DataArray) -> xr.DataArray:
    """Average `differences` over the repeats that both learners have, if there are any."""
    repeats = [d for d in ("outer", "inner") if d in apart.dims]
    return apart.mean(repeats) if repeats else apart


def overtaking(mean: xr.DataArray, margin: float = 0.0) -> xr.Dataset:
    """Tell from which anchor on each learner is ahead at every anchor to come.

    Parameters
    ----------
    mean : xarray.DataArray, dims (..., anchor)
        From `mean_difference`: below 0 the learner is ahead, NaN where the two cannot be compared.
    margin : float
        By how much, in error rate, it has to be ahead. Differences up to
        `analysis.statistics.summary.TIE` are ties, and a tie is not ahead.

    Returns
    -------
    xarray.Dataset, dims as `mean` without anchor
        Rows, each NaN where there is none: ``first`` and ``last``, the ends of the anchors at which
        both have a value; ``rows``, the smallest anchor from which on the learner is ahead at all
        of them (NaN: not by the last; the size is censored there); ``behind``, the last anchor
        at which it is not ahead (NaN: it is ahead from the first on). So the size from which it is
        ahead lies above ``behind``, and at ``rows`` or below.
    """
    mean = mean.transpose(..., "anchor")
    values, anchors = mean.values, mean["anchor"].values.astype(float)
    first, last, rows, behind = overtaking_places(values, margin)
    dims = mean.dims[:-1]
    found = {"first": first, "last": last, "rows": rows, "behind": behind}
    return xr.Dataset(
        {name: (dims, np.where(at >= 0, anchors[at], np.nan)) for name, at in found.items()},
        coords={d: mean[d].values for d in dims},
        attrs={**mean.attrs, "margin": margin})


def overtaking_places(mean: np.ndarray, margin: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return first, last, rows and behind of `overtaking` as positions on the last axis; -1: none.

    Parameters
    ----------
    mean : ndarray, shape (..., n_anchors)
        NaN where the two learners cannot be compared.
    margin : float
        As in `overtaking`.
    """
    there = ~np.isnan(mean)
    behind = there & ~(mean < -(margin + TIE))
    still_behind = np.logical_or.accumulate(behind[..., ::-1], axis=-1)[..., ::-1]
    return (_first_true(there), last_true(there), _first_true(there & ~still_behind),
            last_true(behind))


def _first_true(mask: np.ndarray) -> np.ndarray:
    return np.where(mask.any(axis=-1), mask.argmax(axis=-1), -1)
