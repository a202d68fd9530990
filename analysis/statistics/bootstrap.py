"""The bootstrap over families of datasets: curves of one family are not independent, families are.

Whoever resamples datasets names them: near-duplicates (`analysis.statistics.families`) are drawn
together.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pandas as pd

from analysis.statistics.families import count_families, families

LEVELS = (2.5, 97.5)  # percentiles: the ends of a 95 % interval


@lru_cache(maxsize=8)
def resample_units(n: int, seed: int = 0, n_resamples: int = 1000) -> np.ndarray:
    """Return how often each of `n` units that have nothing in common is drawn in each resample.

    Parameters
    ----------
    n : int
        Number of units.
    seed, n_resamples : int
        Seed of the generator, number of resamples.

    Returns
    -------
    ndarray of float, shape (n_resamples, n)
        Read-only; every row sums to `n`. The same arguments give the same resamples, so that
        intervals of several quantities over the same units can be compared.
    """
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    times = times.astype(float)
    times.setflags(write=False)
    return times


def resample_datasets(datasets: Iterable[object], seed: int = 0,
                      n_resamples: int = 1000) -> np.ndarray:
    """Return how often each dataset counts in each resample of their families.

    Parameters
    ----------
    datasets : iterable of length n
        OpenML ids or names, as `analysis.statistics.families.family_of` takes them.
    seed, n_resamples : int
        Of `resample_units`.

    Returns
    -------
    ndarray of float, shape (n_resamples, n)
        The same for all datasets of a family.
    """
    of, names = pd.factorize(families(datasets))
    return resample_units(len(names), seed, n_resamples)[:, of]


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
    """Return the 95 % percentile interval of a mean, by resampling whole families of datasets.

    Parameters
    ----------
    values, dataset : pandas.Series of the same length
        Values, and the dataset (or its family) that each belongs to.

    Returns
    -------
    low, high : float
        Of no width where the families' means are all equal; NaN where there is just one family.
    """
    groups = values.groupby(families(dataset), sort=False)
    if len(groups) < 2:
        return np.nan, np.nan
    low, high = ratio_of_sums_interval(groups.sum(), groups.size(), groups.size().index)
    return float(low), float(high)


def exact_ends(percent: np.ndarray, low: np.ndarray, high: np.ndarray,
               n: int) -> tuple[np.ndarray, np.ndarray]:
    """Give a percentage of 0 or 100, of which resamples cannot move, an interval that has width.

    Parameters
    ----------
    percent, low, high : array_like
        Percentages of curves with some property, and their intervals from resampling.
    n : int
        Families of datasets.

    Returns
    -------
    low, high : ndarray
        Where the percentage is 0 or 100, the far end is Clopper and Pearson's: what the share of
        families may be of which none, or all, of `n` were seen to have such curves.
    """
    far = 100 * (1 - LEVELS[1] / 100) ** (1 / n)
    return np.where(percent == 100, far, low), np.where(percent == 0, 100 - far, high)


def share_interval(percent: pd.Series, dataset: pd.Series) -> tuple[float, float]:
    """Return the 95 % interval of a share: `mean_interval`, with `exact_ends` of 0 and 100.

    Parameters
    ----------
    percent, dataset : pandas.Series of the same length
        100 where a curve has a property and else 0, and the dataset that it is on.

    Returns
    -------
    low, high : float
        Percent; NaN where there is just one family.
    """
    low, high = exact_ends(percent.mean(), *mean_interval(percent, dataset),
                           count_families(dataset))
    return float(low), float(high)


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


def ratio_of_sums_interval(numerator: np.ndarray, denominator: np.ndarray,
                           datasets: Iterable[object] | None, seed: int = 0,
                           n_resamples: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95 % percentile interval of a ratio of sums, by resampling families of datasets.

    Parameters
    ----------
    numerator, denominator
        As in `ratio_of_sums`.
    datasets : iterable of length n_datasets, or None
        Which they are; None for units that are no datasets and have nothing in common.
    seed, n_resamples : int
        Of `resample_units`.

    Returns
    -------
    low, high : ndarray, shape of the numerator without its first axis
        NaN where no resample has a denominator.
    """
    times = (resample_units(len(numerator), seed, n_resamples) if datasets is None
             else resample_datasets(datasets, seed, n_resamples))
    return percentile_interval(ratio_of_sums(numerator, denominator, times))


def _weighted_sums(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    sums = times @ values.reshape(len(values), -1)
    return sums.reshape(len(times), *values.shape[1:])
