"""Meta-features against the gain over logistic regression: rank correlations, chance, power."""

from itertools import count

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from analysis.statistics.bootstrap import percentile_interval

PAIRINGS = ("name", "position")
#: Variance of Fisher's z of Spearman's correlation, times n − 3 (Fieller, Hartley and Pearson).
SPEARMAN = 1.06


def pair(features: pd.DataFrame, gain: pd.Series, pairing: str, bands: pd.Series) -> pd.DataFrame:
    """Return the meta-features row by row beside the gain, by name or as published.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per dataset.
    gain : pandas.Series
        Of each dataset, in order of size: as the paper's results stand.
    pairing : {"name", "position"}
        The second is the published one: the meta-features stand in alphabetical order within bands
        of size, the gains in order of size, and the k-th row of one is taken for the k-th of
        the other.
    bands : pandas.Series
        The band of each dataset's size, by name; bands sort in order of size.

    Returns
    -------
    pandas.DataFrame
        The meta-features that are paired with each row of `gain`, with its index.
    """
    order = list(gain.index)
    if pairing == "position":
        order = sorted(gain.index, key=lambda name: (bands[name], name))
    return features.loc[order].set_axis(gain.index)


def as_published(features: pd.DataFrame, gain: pd.Series) -> pd.Series:
    """Return Spearman's correlation of every meta-feature with the gain, as published.

    Rows where a meta-feature has no value are left out for it, however few remain; NaN for one that
    is constant.
    """
    varied = features.loc[:, features.nunique() > 1]
    return varied.corrwith(gain, method="spearman").reindex(features.columns)


def correlation_interval(feature: pd.Series, gain: pd.Series) -> tuple[float, float]:
    """Return the 95 % percentile interval of Spearman's correlation, resampling problems."""
    there = feature.notna().to_numpy()
    x, y = feature.to_numpy(float)[there], gain.to_numpy(float)[there]
    drawn = np.random.default_rng(0).integers(len(x), size=(len(x), 2000))
    a, b = (rankdata(v[drawn], axis=0) for v in (x, y))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    found = np.divide((a * b).sum(axis=0), spread, out=np.full(len(spread), np.nan),
                      where=spread > 0)
    low, high = percentile_interval(found)
    return float(low), float(high)


def detection(rho: np.ndarray, n: np.ndarray, least: float) -> np.ndarray:
    """Return the probability to see a true rank correlation as larger than chance.

    Parameters
    ----------
    rho : array_like
        The true |rho|.
    n : array_like
        Problems, more than 3.
    least : float
        Distance from 0, in standard errors of Fisher's z, that counts: `one_test` or `all_tests`.

    Returns
    -------
    ndarray
        By the normal approximation of Fisher's z, both signs counted.
    """
    centre = np.arctanh(np.asarray(rho, float)) * np.sqrt((np.asarray(n, float) - 3) / SPEARMAN)
    return norm.sf(least - centre) + norm.cdf(-least - centre)


def one_test(level: float = 0.05) -> float:
    """Return the distance that counts where a single meta-feature was named beforehand."""
    return float(norm.isf(level / 2))


def all_tests(largest: float, n: int) -> float:
    """Return the distance that counts where all meta-features are searched.

    Parameters
    ----------
    largest : float
        The 95th percentile of the largest |rho| under permutation.
    n : int
        Problems it was found with.
    """
    return float(np.arctanh(largest) * np.sqrt((n - 3) / SPEARMAN))


def problems_needed(rho: float, least: float, power: float = 0.8) -> int:
    """Return from how many problems on a true |rho| is seen with that probability."""
    return next(n for n in count(5) if detection(rho, n, least) >= power)
