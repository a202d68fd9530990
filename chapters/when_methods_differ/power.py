"""What a study of meta-features can find with so many problems, and what it cannot."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm

#: Variance of Fisher's z of Spearman's correlation, times n − 3 (Fieller, Hartley and Pearson).
SPEARMAN = 1.06


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
    low, high = 4, 8
    while detection(rho, high, least) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detection(rho, middle, least) >= power else (middle, high)
    return high


def power_table(least: dict[str, float], n: int,
                rhos: Sequence[float] = (0.3, 0.4, 0.5, 0.6, 0.7)) -> pd.DataFrame:
    """Return what can be found.

    Parameters
    ----------
    least : dict of str to float
        What was asked, and the distance that counts for it.
    n : int
        Problems there are.
    rhos : sequence of float
        True correlations.

    Returns
    -------
    pandas.DataFrame
        Columns ``question, rho, power`` (with `n` problems), ``problems`` (needed for a power of
        0.8).
    """
    return pd.DataFrame([
        {"question": question, "rho": rho, "power": float(detection(rho, n, distance)),
         "problems": problems_needed(rho, distance)}
        for question, distance in least.items() for rho in rhos])
