"""From how many rows on a learner is ahead of logistic regression for good."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.paper_curves import main_curves
from analysis.statistics.families import families
from analysis.statistics.summary import TIE
from collection.containers.learner_names import NOT_COUNTED
from lab.crossing import last_true

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
    mean : xarray.DataArray
        From `mean_difference`, against logistic regression.
    cases : xarray.Dataset
        From `overtaking`.
    family : pandas.Series
        From `chapters.how_many_rows.overtaking.families_by_dataset`.
    """

    database: str
    mean: xr.DataArray
    cases: xr.Dataset
    family: pd.Series

    @property
    def complex(self) -> list[str]:
        """Return which of `COMPLEX` the database has, in that order."""
        return [name for name in COMPLEX if name in self.mean["learner"].values]


def study_overtaking(database: str) -> OvertakingStudy:
    """Open a database and find from how many rows on logistic regression is overtaken."""
    errors = open_errors(database)
    mean = mean_difference(errors)
    return OvertakingStudy(database, mean, overtaking(mean), families_by_dataset(errors))


def open_errors(database: str) -> xr.DataArray:
    """Open the error rates that are compared: on test rows, without scaling.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`; the datasets that the paper uses, without leakage
        where there is the choice.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        In memory, NaN where missing. Without the learner that learns nothing and those that equal
        another (`NOT_COUNTED`). Repeats where the database has them.
    """
    errors = main_curves(database)["error_rate"]
    learners = [n for n in errors["learner"].values if n not in NOT_COUNTED]
    errors = errors.sel(scaling="none", split="test", learner=learners, drop=True).load()
    repeats = [d for d in ("outer", "inner") if d in errors.dims]
    return errors.transpose("dataset", "learner", *repeats, "anchor")


def mean_difference(errors: xr.DataArray) -> xr.DataArray:
    """Return how much higher each learner's error rate is than that of `BASELINE`.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        From `open_errors`.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, anchor), without the baseline
        Below 0 the learner is ahead: the mean over the repeats that both have, on the same splits
        of the same rows; NaN where there is none.
    """
    others = errors["learner"].values[errors["learner"].values != BASELINE]
    apart = errors.sel(learner=others) - errors.sel(learner=BASELINE, drop=True)
    repeats = [d for d in ("outer", "inner") if d in apart.dims]
    return apart.mean(repeats) if repeats else apart


def overtaking(mean: xr.DataArray) -> xr.Dataset:
    """Tell from which anchor on each learner is ahead at every anchor to come.

    Parameters
    ----------
    mean : xarray.DataArray, dims (..., anchor)
        From `mean_difference`: below 0 the learner is ahead, NaN where the two cannot be compared.
        Differences up to `analysis.statistics.summary.TIE` are ties, and a tie is not ahead.

    Returns
    -------
    xarray.Dataset, dims as `mean` without anchor
        Rows, each NaN where there is none: ``first`` and ``last``, the ends of the anchors at which
        both have a value; ``rows``, the smallest anchor from which on the learner is ahead at all
        of them (NaN: not by the last; the size is censored there).
    """
    mean = mean.transpose(..., "anchor")
    values, anchors = mean.values, mean["anchor"].values.astype(float)
    dims = mean.dims[:-1]
    found = zip(("first", "last", "rows"), overtaking_places(values), strict=True)
    return xr.Dataset(
        {name: (dims, np.where(at >= 0, anchors[at], np.nan)) for name, at in found},
        coords={d: mean[d].values for d in dims})


def overtaking_places(mean: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return first, last and rows of `overtaking` as positions on the last axis; -1: none.

    Parameters
    ----------
    mean : ndarray, shape (..., n_anchors)
        NaN where the two learners cannot be compared.
    """
    there = ~np.isnan(mean)
    behind = there & ~(mean < -TIE)
    still_behind = np.logical_or.accumulate(behind[..., ::-1], axis=-1)[..., ::-1]
    return _first_true(there), last_true(there), _first_true(there & ~still_behind)


def _first_true(mask: np.ndarray) -> np.ndarray:
    return np.where(mask.any(axis=-1), mask.argmax(axis=-1), -1)


def families_by_dataset(errors: xr.DataArray) -> pd.Series:
    """Return the family of each dataset of an array with that dim; index its labels."""
    labels = errors["dataset"].values
    return pd.Series(families(labels), index=pd.Index(labels, name="dataset"), name="family")
