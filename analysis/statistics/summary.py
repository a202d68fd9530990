"""One estimate with its 95 % interval, and shares of curves: how they are made, and written."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike
from scipy import stats

from analysis.statistics import bootstrap
from analysis.statistics.families import count_families, families
from collection.project.arguments import checked


@dataclass(frozen=True)
class Summary:
    """An estimate and what is known of its uncertainty.

    Attributes
    ----------
    value, low, high : float
        The estimate and the ends of its 95 % interval; NaN ends where there is none.
    n : int
        Units that were resampled: families of datasets, or datasets.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    n: int = 0

    def text(self, digits: int = 1, unit: str = "") -> str:
        """Return the estimate as text: "15.4 % [12.0, 18.1]"."""
        return with_interval(self.value, self.low, self.high, digits, unit)


def with_interval(value: float, low: float, high: float, digits: int = 1, unit: str = "") -> str:
    """Return "value unit [low, high]"; without an interval where an end is NaN.

    Parameters
    ----------
    value, low, high : float
        The estimate and its interval; a value of NaN is "–".
    digits : int
        Decimals.
    unit : str
        Written behind the value, after a space.
    """
    shown = as_number(value, digits, unit)
    if pd.isna(value) or pd.isna(low) or pd.isna(high):
        return shown
    return f"{shown} [{as_number(low, digits)}, {as_number(high, digits)}]"


def as_number(value: float, digits: int = 1, unit: str = "") -> str:
    """Return a rounded number as text, never "-0.0"; "–" for NaN."""
    if pd.isna(value):
        return "–"
    rounded = round(float(value), digits) + 0.0
    return f"{rounded:,.{digits}f}" + (f" {unit}" if unit else "")


def summarise(values: Sequence[float], units: Sequence[object],
              statistic: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
              seed: int = 0, n_resamples: int = 1000) -> Summary:
    """Summarise values by their mean, or another statistic, resampling whole units.

    Parameters
    ----------
    values : sequence of float, length n
        NaN values are left out.
    units : sequence of length n
        The dataset that each value belongs to; families of datasets are resampled. Other units,
        which are their own family, have names that are not numbers.
    statistic : callable, optional
        Of values (n,) and weights (n_resamples, n), how often each counts; returns
        (n_resamples,). By default the weighted mean.
    seed, n_resamples : int
        Of the resamples.

    Returns
    -------
    Summary
        Without an interval where there is one unit only; NaN of no values.
    """
    numbers, groups = np.asarray(values, dtype=float), families(units)
    kept = ~np.isnan(numbers)
    numbers, groups = numbers[kept], groups[kept]
    if not len(numbers):
        return Summary(np.nan)
    statistic = statistic or _weighted_mean
    codes, names = pd.factorize(groups)
    value = float(statistic(numbers, np.ones((1, len(numbers))))[0])
    if len(names) < 2:
        return Summary(value, n=len(names))
    times = bootstrap.resample_units(len(names), seed, n_resamples)[:, codes]
    low, high = bootstrap.percentile_interval(statistic(numbers, times))
    return Summary(value, float(low), float(high), len(names))


def summarise_ratio(numerator: Sequence[float], denominator: Sequence[float],
                    datasets: Sequence[object] | None = None, scale: float = 1) -> Summary:
    """Summarise a ratio of sums: the part of all ill-behaved curves that some learners have.

    Parameters
    ----------
    numerator, denominator : sequence of float, length n
        Each dataset's part of what is divided, and of what it is divided by.
    datasets : sequence of length n, optional
        Which they are; families of them are resampled. By default each is one of its own.
    scale : float
        What the ratio is multiplied by: 100 for percent.

    Returns
    -------
    Summary
        NaN where the denominator adds up to 0; without an interval of one family only.
    """
    above, below = scale * np.asarray(numerator, float), np.asarray(denominator, float)
    n = len(below) if datasets is None else count_families(datasets)
    if not below.sum():
        return Summary(np.nan, n=n)
    low, high = (bootstrap.ratio_of_sums_interval(above, below, datasets) if n > 1 else
                 (np.nan, np.nan))
    return Summary(float(above.sum() / below.sum()), float(low), float(high), n)


def _weighted_mean(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    total = times.sum(axis=1)
    return np.divide(times @ values, total, out=np.full(len(times), np.nan), where=total > 0)


#: A smaller difference of two means, or range of values, is rounding: far above what floating point
#: does to an error rate, far below what one row makes.
TIE = 1e-12
REPEATS = ("outer", "inner")
HELD_OUT_SHARE = 0.1 / 0.81  # rows tested on against rows trained on, where points do not say


@checked
def standard_error(curve: xr.DataArray) -> xr.DataArray:
    """Return the standard error of the mean over the repeats; NaN with fewer than two.

    Parameters
    ----------
    curve : xarray.DataArray, dims (..., outer, inner or repeat)
        Of the dims of repeats those it has.

    Returns
    -------
    xarray.DataArray
        Over the remaining dims, in the unit of the curve.

    Raises
    ------
    TypeError
        Where the values are no real numbers.

    Notes
    -----
    The 25 repeats share one dataset and are not independent, so this is the paper's measure of
    spread (Table 1), not a valid standard error.
    """
    if curve.dtype.kind not in "biuf":
        raise TypeError(f"A curve holds numbers, not {curve.dtype}.")
    repeats = [d for d in (*REPEATS, "repeat") if d in curve.dims]
    count = curve.count(repeats)
    return curve.std(repeats, ddof=1).where(count > 1) / np.sqrt(count.where(count > 0))


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
