"""The bootstrap over datasets: curves of one dataset are not independent, datasets are."""

from functools import lru_cache

import numpy as np
import pandas as pd


@lru_cache(maxsize=8)
def resample_datasets(n: int, seed: int = 0, repeats: int = 1000) -> np.ndarray:
    """Return how often each dataset is drawn in each resample.

    Parameters
    ----------
    n : int
        Number of datasets.
    seed, repeats : int
        Seed of the generator, number of resamples.

    Returns
    -------
    ndarray of float, shape (repeats, n)
        Read-only; every row sums to `n`. The same arguments give the same resamples, so that
        intervals of several quantities over the same datasets can be compared.
    """
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=repeats)
    times = times.astype(float)
    times.setflags(write=False)
    return times


def percentile_interval(resampled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the 2.5th and the 97.5th percentile over resamples, the first axis.

    Resamples that are NaN are left out; where all are, so is the interval.
    """
    known = ~np.isnan(resampled).all(axis=0)
    low, high = np.full((2, *known.shape), np.nan)
    if known.any():
        low[known], high[known] = np.nanpercentile(resampled[:, known], [2.5, 97.5], axis=0)
    return low, high


def mean_interval(values: pd.Series, dataset: pd.Series) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean, by resampling whole datasets.

    Parameters
    ----------
    values, dataset : pandas.Series of the same length
        Values, and the dataset that each belongs to.

    Returns
    -------
    low, high : float
        Of no width where the datasets' means are all equal, or there is just one dataset.
    """
    groups = values.groupby(dataset.to_numpy(), sort=False)
    sums, sizes = groups.sum().to_numpy(float), groups.size().to_numpy(float)
    times = resample_datasets(len(sums))
    low, high = percentile_interval((times @ sums / (times @ sizes))[:, None])
    return float(low[0]), float(high[0])
