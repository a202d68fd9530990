"""Where peaks stand, against the number of features (Appendix E of the paper)."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics.bootstrap import resample_datasets
from analysis.statistics.headlines import LEAST
from collection.containers.curves import only_dims


def peaks_against_features(shapes: xr.Dataset, features: pd.Series) -> pd.DataFrame:
    """Return where each peaking curve has its peak, beside its dataset's number of features.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.
    features : pandas.Series
        Number of features (after one-hot encoding) by dataset; NaN where unknown.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``learner``, ``peak`` (rows), ``features`` and ``ratio``, the peak's
        place in units of the number of features. Curves without a peak, or on datasets whose
        features are unknown, are left out.
    """
    peak = only_dims(shapes["conv_i"].where(shapes["peaking"]).rename("peak"))
    table = peak.to_dataframe().dropna().reset_index()
    table["features"] = table["dataset"].map(features)
    table = table.dropna(subset="features").assign(ratio=lambda t: t["peak"] / t["features"])
    return table.reset_index(drop=True)


def ratio_interval(table: pd.DataFrame, seed: int = 0, resamples: int = 2000) -> pd.DataFrame:
    """Return the median of ``ratio`` by learner with a 95 % bootstrap interval over datasets.

    Parameters
    ----------
    table : pandas.DataFrame
        From `peaks_against_features`: at most one row per dataset and learner.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    pandas.DataFrame
        Columns ``learner``, ``peaks`` (how many), ``median``, ``low``, ``high``, NaN with
        fewer than five peaks.
    """
    rows = []
    for learner, group in table.groupby("learner", sort=False):
        ratio = group["ratio"].to_numpy()
        times = resample_datasets(group["dataset"], seed, resamples).astype(int)
        low, high = (np.quantile([np.median(np.repeat(ratio, t)) for t in times], [0.025, 0.975])
                     if len(ratio) >= LEAST else (np.nan, np.nan))
        rows.append({"learner": learner, "peaks": len(ratio), "median": np.median(ratio),
                     "low": low, "high": high})
    table = pd.DataFrame(rows, columns=["learner", "peaks", "median", "low", "high"])
    return table.sort_values("peaks", ascending=False, ignore_index=True, kind="stable")
