"""Meta-features against the gain over logistic regression: rank correlations, chance, power."""

from itertools import count

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm, rankdata

from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.sign_flips import holm

LEAST = 30  # problems with a value, for a correlation to be looked at
PERMUTATIONS = 10_000
PAIRINGS = ("name", "position")
#: Variance of Fisher's z of Spearman's correlation, times n − 3 (Fieller, Hartley and Pearson).
SPEARMAN = 1.06


def pair(features: pd.DataFrame, gain: pd.Series, pairing: str,
         bands: pd.Series) -> pd.DataFrame:
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


def spread_matrix(features: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the meta-features' standardised ranks, and which can be judged.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per problem.

    Returns
    -------
    ranks : ndarray, shape (n, k)
        Mid-ranks with mean 0 and length 1 over the rows with a value, 0 where there is none.
    judged : ndarray of bool, shape (k,)
        Those with at least `LEAST` values that are not all equal; the others' ranks are 0.
    """
    values = features.to_numpy(float)
    ranks = rankdata(values, axis=0, nan_policy="omit")
    there = ~np.isnan(values)
    known = there.sum(axis=0)
    centred = np.where(there, ranks - (known + 1) / 2, 0)
    length = np.sqrt((centred**2).sum(axis=0))
    judged = (known >= LEAST) & (length > 1e-9)
    scaled = np.divide(centred, length, out=np.zeros(centred.shape), where=judged & (length > 0))
    return scaled, judged


def rank_correlations(features: pd.DataFrame, gains: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of every meta-feature with every column of gains.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per problem; a row without a value is left out for that meta-feature.
    gains : ndarray, shape (n, m)
        No value missing.

    Returns
    -------
    ndarray, shape (k, m)
        NaN for a meta-feature that cannot be judged (`spread_matrix`).
    """
    scaled, judged = spread_matrix(features)
    there = features.notna().to_numpy()
    found = np.full((features.shape[1], gains.shape[1]), np.nan)
    patterns, of = np.unique(there.T, axis=0, return_inverse=True)
    for k, rows in enumerate(patterns):
        columns = np.flatnonzero((of == k) & judged)
        if not len(columns):
            continue
        part = rankdata(gains[rows], axis=0)
        part = part - part.mean(axis=0)
        length = np.sqrt((part**2).sum(axis=0))
        part = np.divide(part, length, out=np.full(part.shape, np.nan), where=length > 0)
        found[columns] = scaled[np.ix_(rows, columns)].T @ part
    return found


def judge(features: pd.DataFrame, gain: pd.Series, seed: int = 0,
          n_resamples: int = PERMUTATIONS) -> tuple[pd.DataFrame, np.ndarray]:
    """Correlate every meta-feature with the gain, and permute the gains to see what chance does.

    Parameters
    ----------
    features, gain
        Of the same problems, in the same order.
    seed, n_resamples : int
        Of the permutations.

    Returns
    -------
    table : pandas.DataFrame
        Index the meta-feature; ``rho`` (Spearman's), ``p`` (share of permutations with a |rho| as
        large, itself counted), ``p_adjusted`` (with a largest |rho| of all meta-features as large:
        the maximum statistic), ``p_holm``, ``p_bh`` (Holm's and Benjamini and Hochberg's of the
        ``p``). Without those that cannot be judged.
    largest : ndarray, shape (n_resamples,)
        The largest |rho| of each permutation.
    """
    rng = np.random.default_rng(seed)
    values = gain.to_numpy(float)
    rho = rank_correlations(features, values[:, None])[:, 0]
    known = ~np.isnan(rho)
    size, kept = np.abs(rho[known]), features.loc[:, known]
    largest, as_large = np.empty(n_resamples), np.zeros(known.sum())
    for start in range(0, n_resamples, 500):
        n = min(500, n_resamples - start)
        shuffled = np.column_stack([rng.permutation(values) for _ in range(n)])
        chance = np.abs(rank_correlations(kept, shuffled))
        largest[start:start + n] = chance.max(axis=0)
        as_large += (chance >= size[:, None] - 1e-9).sum(axis=1)
    p = (1 + as_large) / (1 + n_resamples)
    beyond = np.searchsorted(np.sort(largest), size - 1e-9)
    table = pd.DataFrame({"rho": rho[known], "p": p,
                          "p_adjusted": (1 + n_resamples - beyond) / (1 + n_resamples),
                          "p_holm": holm(p),
                          "p_bh": false_discovery_control(p)}, index=kept.columns)
    return table, largest


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
