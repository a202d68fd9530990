"""The bootstrap over families of datasets: curves of one family are not independent, families are.

Whoever resamples datasets names them: near-duplicates (`analysis.statistics.families`) are drawn
together.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy import stats

from analysis.statistics.families import families

LEVELS = (2.5, 97.5)  # percentiles: the ends of a 95 % interval
FEW = 5  # independent cases, of which resamples say too little


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
    columns = pd.DataFrame(resampled.reshape(len(resampled), -1))
    ends = columns.quantile(np.array(LEVELS) / 100).to_numpy()
    low, high = ends.reshape(2, *resampled.shape[1:])
    return low, high


def mean_interval(values: pd.Series, dataset: pd.Series, least: int = 2) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean, by resampling whole families of datasets.

    Parameters
    ----------
    values, dataset : pandas.Series of the same length
        Values, and the dataset (or its family) that each belongs to.
    least : int
        Families, of fewer than which there is no interval; at least 2.

    Returns
    -------
    low, high : float
        Of no width where the families' means are all equal; NaN of fewer families.
    """
    groups = values.groupby(families(dataset), sort=False)
    if len(groups) < least:
        return np.nan, np.nan
    low, high = ratio_of_sums_interval(groups.sum(), groups.size(), groups.size().index)
    return float(low), float(high)


def exact_if_few(percent: np.ndarray, low: np.ndarray, high: np.ndarray, n: int,
               error: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Give a percentage of few cases an exact interval: of these resamples say too little.

    Parameters
    ----------
    percent, low, high : array_like
        Percentages of curves with some property, and their intervals from resampling.
    n : int
        Families of datasets.
    error : array_like
        Standard errors of the percentages over families (`share_error`). Without them, 0 and 100
        alone count as few.

    Returns
    -------
    low, high : ndarray
        Clopper and Pearson's, where fewer than `FEW` independent cases have the property, or lack
        it; else as given. As many cases are independent as give that standard error; of none, or
        all, as many as there are families.

    References
    ----------
    Korn and Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", Survey Methodology 24 (1998), without its correction for
    degrees of freedom.
    """
    share = np.asarray(percent, float) / 100
    spread = np.asarray(error, float) / 100
    cases = np.divide(share * (1 - share), spread**2, where=spread > 0,
                      out=np.where((share == 0) | (share == 1), np.asarray(n, float), np.inf))
    have, lack = share * cases, (1 - share) * cases
    tail = 1 - LEVELS[1] / 100
    few = np.isfinite(cases) & (np.fmin(have, lack) < FEW)
    ends = (stats.beta.ppf(tail, have, lack + 1), stats.beta.ppf(1 - tail, have + 1, lack))
    return (np.where(few, 100 * np.where(share == 0, 0, ends[0]), low),
            np.where(few, 100 * np.where(share == 1, 1, ends[1]), high))


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
    above, below = weighted_sums(numerator, times), weighted_sums(denominator, times)
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


def weighted_sums(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return sums over the first axis, each unit counted as often as `times` says."""
    values = np.asarray(values, dtype=float)
    sums = times @ values.reshape(len(values), -1)
    return sums.reshape(len(times), *values.shape[1:])


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's step-down procedure (1979), at most 1.

    statsmodels' `multipletests` gives the same; it is not in the core, and collects garbage at each
    call, which takes up to a second.
    """
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted
