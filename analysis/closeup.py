"""Shapes up close: where peaks are, and what causes them (Appendix E of the paper)."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.browse import REPEATS

MLP_BATCH = 200  # rows: scikit-learn's mini-batch is min(200, n)
SMALL_REMAINDER = 16  # rows: a last mini-batch this small makes a noisy last step


def last_batches(anchors: np.ndarray, batch_sizes: tuple[int, ...]) -> pd.DataFrame:
    """Return how many rows the last mini-batch of an epoch has, by anchor and batch size.

    Parameters
    ----------
    anchors : ndarray of int
        Training-set sizes, in rows.
    batch_sizes : tuple of int
        Rows per mini-batch. A training set that is no larger is one batch.

    Returns
    -------
    pandas.DataFrame
        Columns ``anchor``, ``batch_size``, ``last_batch`` (rows) and ``small`` (whether it has
        at most `SMALL_REMAINDER` rows while a full batch has more).
    """
    anchor, batch = (a.ravel() for a in np.meshgrid(anchors, batch_sizes, indexing="ij"))
    size = np.minimum(batch, anchor)
    last = np.where(anchor % size == 0, size, anchor % size)
    small = (last <= SMALL_REMAINDER) & (size > SMALL_REMAINDER)
    return pd.DataFrame({"anchor": anchor, "batch_size": batch, "last_batch": last, "small": small})


def local_bumps(mean: xr.DataArray) -> xr.DataArray:
    """Return how far each anchor's error lies above the line between its two neighbours.

    Parameters
    ----------
    mean : xarray.DataArray, dims (..., anchor)
        Mean error rates without gaps in between.

    Returns
    -------
    xarray.DataArray, dims (..., anchor)
        In error rate; NaN at both ends. Interpolated over the logarithm of the training-set size.
    """
    x = np.log(mean["anchor"])
    before, after = mean.shift(anchor=1), mean.shift(anchor=-1)
    weight = (x - x.shift(anchor=1)) / (x.shift(anchor=-1) - x.shift(anchor=1))
    return (mean - (before + weight * (after - before))).rename("bump")


def spread_over_repeats(errors: xr.DataArray) -> xr.DataArray:
    """Return the standard deviation over the repeats at each anchor (Appendix E.3).

    Parameters
    ----------
    errors : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.

    Returns
    -------
    xarray.DataArray, dims (..., anchor)
        In error rate; NaN with fewer than two repeats.
    """
    return errors.std(REPEATS, ddof=1).where(errors.count(REPEATS) > 1)


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
    peak = shapes["conv_i"].where(shapes["peaking"]).rename("peak")
    peak = peak.drop_vars([c for c in peak.coords if c not in peak.dims])
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
        Columns ``learner``, ``peaks`` (how many), ``median``, ``low``, ``high``.
    """
    rows = []
    for learner, group in table.groupby("learner", sort=False):
        ratio = group["ratio"].to_numpy()
        drawn = np.random.default_rng(seed).choice(ratio, (resamples, len(ratio)))
        low, high = np.quantile(np.median(drawn, axis=1), [0.025, 0.975])
        rows.append({"learner": learner, "peaks": len(ratio), "median": np.median(ratio),
                     "low": low, "high": high})
    return pd.DataFrame(rows).sort_values("peaks", ascending=False, ignore_index=True)
