"""How much more data: the error to expect with more rows, and the rows a wanted error needs."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation import RECOMMENDED, predict

FACTORS = (2, 4, 10)
FARTHEST = 64.0  # times the rows there are: beyond, nothing was tested
STEPS = 8  # sizes looked at per doubling
ENDS = {"low": 0.05, "expected": 0.5, "high": 0.95}


def curve_of(points: pd.DataFrame) -> xr.DataArray:
    """Return one learning curve from measurements.

    Parameters
    ----------
    points : DataFrame
        ``size`` (rows trained on), ``error`` (rate, 0 to 1); several rows with the same size are
        repeats.

    Returns
    -------
    DataArray, dims (repeat, anchor)
        NaN where a size has fewer repeats than another.

    Raises
    ------
    ValueError
        If a column is missing, a size is not positive or an error not between 0 and 1, or there
        are fewer than two sizes.
    """
    lacking = {"size", "error"} - set(points.columns)
    if lacking:
        raise ValueError(f"The points lack the column {' and '.join(sorted(lacking))}; they have "
                         f"{', '.join(map(str, points.columns))}.")
    points = points[["size", "error"]].astype(float)
    bad = ~((points["size"] > 0) & points["error"].between(0, 1))
    if bad.any():
        raise ValueError(f"Row {points.index[bad][0]} of the points is not a positive size with an "
                         "error rate between 0 and 1.")
    if points["size"].nunique() < 2:
        raise ValueError("The points have one size only; to see a curve takes at least two.")
    repeat = points.groupby("size").cumcount()
    wide = points.assign(repeat=repeat).pivot(index="repeat", columns="size", values="error")
    return xr.DataArray(wide.to_numpy(), dims=("repeat", "anchor"),
                        coords={"anchor": wide.columns.to_numpy(float)})


def expect_more(curve: xr.DataArray, factors: Iterable[float] = FACTORS,
                extrapolator: str = RECOMMENDED) -> pd.DataFrame:
    """Return the error rates to expect with several times the rows there are.

    Parameters
    ----------
    curve : DataArray, dims ([repeat,] anchor)
        One curve; see `analysis.extrapolation.predict`.
    factors : iterable of float
        Above 1.
    extrapolator : str

    Returns
    -------
    DataFrame
        ``factor``, ``size`` (rows), ``expected`` (median), ``low`` and ``high`` (ends of the 90 %
        interval), ``gain`` (last mean error minus expected).
    """
    factors = np.array(list(factors), float)
    last, error = _last(curve)
    found = predict(curve, last * factors, extrapolator=extrapolator, levels=tuple(ENDS.values()))
    ends = {name: found.sel(quantile=level).values for name, level in ENDS.items()}
    return pd.DataFrame({"factor": factors, "size": last * factors, **ends,
                         "gain": error - ends["expected"]})


def rows_needed(curve: xr.DataArray, wanted: float, extrapolator: str = RECOMMENDED,
                farthest: float = FARTHEST) -> dict[str, float]:
    """Return the rows at which an error rate is likely reached.

    Parameters
    ----------
    curve : DataArray, dims ([repeat,] anchor)
    wanted : float
        Error rate.
    extrapolator : str
    farthest : float
        How many times the rows there are to look ahead.

    Returns
    -------
    dict
        ``expected``: size at which the median first is as low; ``early`` and ``late``: the
        same for the ends of the 90 % interval, so that the error is reached before the first or
        after the second with a chance of 1 in 20 each, as seen from that size. NaN where it is
        not within `farthest`; the last size where it is reached already.

    Raises
    ------
    ValueError
        If the wanted error is not between 0 and 1.
    """
    if not 0 < wanted < 1:
        raise ValueError(f"A wanted error rate of {wanted} is not between 0 and 1.")
    last, error = _last(curve)
    if error <= wanted:
        return dict.fromkeys(("early", "expected", "late"), last)
    sizes = last * 2 ** np.arange(1 / STEPS, np.log2(farthest) + 1e-9, 1 / STEPS)
    found = predict(curve, sizes, extrapolator=extrapolator, levels=tuple(ENDS.values()))
    names = dict(zip(("early", "expected", "late"), ENDS.values(), strict=True))
    return {name: _first(sizes, found.sel(quantile=level).values <= wanted)
            for name, level in names.items()}


def _last(curve: xr.DataArray) -> tuple[float, float]:
    """Return the last size of one curve and its mean error there."""
    mean = curve.mean([d for d in curve.dims if d != "anchor"]).dropna("anchor")
    return float(mean["anchor"][-1]), float(mean[-1])


def _first(sizes: np.ndarray, reached: np.ndarray) -> float:
    return float(sizes[reached.argmax()]) if reached.any() else np.nan
