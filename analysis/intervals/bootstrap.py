"""The bootstrap over datasets: curves of one dataset are not independent, datasets are."""

from functools import lru_cache

import numpy as np
import pandas as pd

LEVELS = (2.5, 97.5)  # percentiles: the ends of a 95 % interval


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
    ends = np.full((2, *known.shape), np.nan)
    if known.any():
        ends[:, known] = np.nanpercentile(resampled[:, known], LEVELS, axis=0)
    return ends[0], ends[1]


def mean_interval(values: pd.Series, dataset: pd.Series) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean, by resampling whole datasets.

    Parameters
    ----------
    values, dataset : pandas.Series of the same length
        Values, and the dataset that each belongs to.

    Returns
    -------
    low, high : float
        Of no width where the datasets' means are all equal; NaN where there is just one dataset.
    """
    groups = values.groupby(dataset.to_numpy(), sort=False)
    if len(groups) < 2:
        return np.nan, np.nan
    low, high = ratio_of_sums_interval(groups.sum(), groups.size())
    return float(low), float(high)


def exact_ends(percent: np.ndarray, low: np.ndarray, high: np.ndarray,
               n: int) -> tuple[np.ndarray, np.ndarray]:
    """Give a percentage of 0 or 100, of which resamples cannot move, an interval that has width.

    Parameters
    ----------
    percent, low, high : array_like
        Percentages of curves with some property, and their intervals from resampling.
    n : int
        Datasets.

    Returns
    -------
    low, high : ndarray
        Where the percentage is 0 or 100, the far end is Clopper and Pearson's: what the share of
        datasets may be of which none, or all, of `n` were seen to have such curves.
    """
    far = 100 * (1 - LEVELS[1] / 100) ** (1 / n)
    return np.where(percent == 100, far, low), np.where(percent == 0, 100 - far, high)


def ratio_of_sums(numerator: np.ndarray, denominator: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return sums over resampled datasets, divided by one another.

    Parameters
    ----------
    numerator : array_like, shape (n_datasets, ...)
        Each dataset's part of what is divided, such as its curves with a verdict.
    denominator : array_like, shape (n_datasets,) or (n_datasets, ...)
        Each dataset's part of what it is divided by, such as its curves. Of one axis, it is that
        of every column of the numerator.
    times : ndarray, shape (n_resamples, n_datasets)
        How often each dataset counts, from `resample_datasets`.

    Returns
    -------
    ndarray, shape (n_resamples, ...)
        NaN where the denominator is 0.
    """
    above, below = _weighted_sums(numerator, times), _weighted_sums(denominator, times)
    below = below.reshape(below.shape + (1,) * (above.ndim - below.ndim))
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def ratio_of_sums_interval(numerator: np.ndarray, denominator: np.ndarray, seed: int = 0,
                           repeats: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95 % percentile interval of a ratio of sums, by resampling whole datasets.

    Parameters
    ----------
    numerator, denominator
        As in `ratio_of_sums`.
    seed, repeats : int
        Of `resample_datasets`.

    Returns
    -------
    low, high : ndarray, shape of the numerator without its first axis
        NaN where no resample has a denominator.
    """
    times = resample_datasets(len(numerator), seed, repeats)
    return percentile_interval(ratio_of_sums(numerator, denominator, times))


def _weighted_sums(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    sums = times @ values.reshape(len(values), -1)
    return sums.reshape(len(times), *values.shape[1:])
