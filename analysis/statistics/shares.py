"""Intervals of shares of curves: over families of datasets, and exact ones."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike
from scipy import stats

from analysis.statistics import bootstrap
from analysis.statistics.families import families


def exact_share(hits: int, n: int) -> tuple[float, float, float]:
    """Return the percentage of hits and its 95 % Clopper-Pearson interval; NaN out of none."""
    if not n:
        return np.nan, np.nan, np.nan
    low, high = stats.binomtest(hits, n).proportion_ci(method="exact")
    return 100 * hits / n, 100 * low, 100 * high


def share_error(having: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return the standard error of a percentage of curves, over families of datasets.

    Parameters
    ----------
    having : ndarray, shape (n_families, ...)
        Each family's curves with a property.
    of : ndarray, shape (n_families, 1)
        All of its curves.

    Returns
    -------
    ndarray, shape (...)
        Percent; 0 of one family.
    """
    rest = having - of * (having.sum(axis=0) / of.sum(axis=0))
    return 100 * np.sqrt((rest**2).sum(axis=0) * len(of) / max(len(of) - 1, 1)) / of.sum(axis=0)


def shares_of(having: ArrayLike, of: ArrayLike, datasets: Iterable[object],
              least: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return percentages of curves with their 95 % intervals over families of datasets.

    Parameters
    ----------
    having : array_like, shape (n_rows,) or (n_rows, n_properties)
        The curves with each property, in each row.
    of : array_like, shape (n_rows,)
        All curves in each row.
    datasets : iterable of length n_rows
        What each row is of.
    least : int
        Families, of fewer than which there is no interval; at least 2.

    Returns
    -------
    percent, low, high : ndarray, shape (n_properties,)
        Ends from resampling, of few curves with a property, or without, from `exact_if_few`; NaN of
        fewer families.
    """
    group = families(datasets)
    parts, sizes = (pd.DataFrame(values).groupby(group, sort=False).sum().to_numpy(float)
                    for values in map(np.asarray, (having, of)))
    n = int((sizes > 0).sum())
    percent = 100 * parts.sum(axis=0) / (sizes.sum() or np.nan)
    if n < least:
        return percent, *np.full((2, len(percent)), np.nan)
    ends = bootstrap.ratio_of_sums_interval(100 * parts, sizes[:, 0], None)
    return percent, *bootstrap.exact_if_few(percent, *ends, n, share_error(parts, sizes))


def share_interval(percent: pd.Series, dataset: pd.Series) -> tuple[float, float]:
    """Return the 95 % interval of a share, as `shares_of` has it.

    Parameters
    ----------
    percent, dataset : pandas.Series of the same length
        100 where a curve has a property and else 0, and the dataset that it is on.

    Returns
    -------
    low, high : float
        Percent; NaN where there is just one family.
    """
    _, low, high = shares_of(percent.to_numpy() / 100, np.ones(len(percent)), dataset)
    return low.item(), high.item()


def family_share(holds: xr.DataArray, counts: xr.DataArray) -> xr.Dataset:
    """Return on what share of the problems something holds, with its 95 % interval.

    Parameters
    ----------
    holds, counts : xarray.DataArray of bool, dims (dataset, ...)
        Whether it holds on a dataset, and whether the dataset counts. A family of which several
        count is one problem, with the share of them.

    Returns
    -------
    xarray.Dataset, dims (...)
        ``share, low, high``, between 0 and 1, NaN for fewer than `FEW` problems; ``n_datasets``,
        the problems that count.
    """
    holds, counts = xr.broadcast(holds, counts)
    holds = holds.transpose("dataset", ...)
    counts = counts.transpose(*holds.dims)
    of, names = pd.factorize(families(holds["dataset"].values))
    member = (np.arange(len(names))[:, None] == of).astype(float)
    counting = bootstrap.weighted_sums(counts.values, member)
    done = np.divide(bootstrap.weighted_sums((holds & counts).values, member), counting,
                     out=np.zeros(counting.shape), where=counting > 0)
    n = (counting > 0).sum(axis=0)
    share = np.divide(done.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    low, high = bootstrap.ratio_of_sums_interval(done, counting > 0, None)
    low, high = bootstrap.exact_if_few(100 * share, 100 * low, 100 * high, np.maximum(n, 1))
    found = {"share": share, "low": low / 100, "high": high / 100}
    rest = holds.isel(dataset=0, drop=True)
    return xr.Dataset({name: rest.copy(data=np.where(n >= bootstrap.FEW, part, np.nan))
                       for name, part in found.items()} | {"n_datasets": rest.copy(data=n)})
