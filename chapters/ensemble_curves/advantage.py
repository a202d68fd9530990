"""How far ensembles are from the best single learner: by training rows, and over whole curves."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import adjusted_p
from chapters.ensemble_curves.judged import common_means

EVERY = 4  # anchors: those tested, at half octaves


def advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the difference in test error of ensembles to baselines, at half octaves.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.
    ensembles, baselines : sequence of str
        Learners of `common_means`.

    Returns
    -------
    pandas.DataFrame
        Columns ensemble, baseline, anchor (rows), difference, low, high (mean over datasets and its
        95 % interval from resampling them, percentage points; below 0 the ensemble is better),
        p (sign flips of datasets, adjusted for all rows of the table), better (datasets on which
        it is), datasets.
    """
    mean = common_means(errors).isel(anchor=slice(None, None, EVERY))
    return _compare(mean, ensembles, baselines)


def overall_advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the same of whole curves: the mean over the half octaves that all datasets have.

    Returns
    -------
    pandas.DataFrame
        As `advantages`, ``anchor`` being 0.
    """
    mean = common_means(errors).isel(anchor=slice(None, None, EVERY)).mean("anchor")
    return _compare(mean.expand_dims(anchor=[0]), ensembles, baselines)


def final_advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the same at the largest anchor of each dataset.

    Returns
    -------
    pandas.DataFrame
        As `advantages`, ``anchor`` being 0.
    """
    last = [common_means(errors.isel(dataset=[k])).isel(anchor=-1, drop=True)
            for k in range(errors.sizes["dataset"])]
    return _compare(xr.concat(last, "dataset").expand_dims(anchor=[0]), ensembles, baselines)


def _compare(mean: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
             ) -> pd.DataFrame:
    """Compare at the anchors of mean curves, dims (dataset, learner, anchor)."""
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
