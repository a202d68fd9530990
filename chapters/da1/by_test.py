"""How much of the share of ill-behaved curves rests on the test, and on how small it may be."""

import pandas as pd
import xarray as xr

from analysis.shapes import detect_shapes
from analysis.shapes.significance import TESTS
from analysis.statistics.bootstrap import mean_interval

#: From the paper's test to the strictest; the rest of the registry is for other questions.
STRICTER = ("paired", "larger_error", "t_over_1.25", "shared", "nadeau_bengio")
SIZES = (0.0, 0.01, 0.02, 0.05)  # error rate


def shares_by_test(valid: xr.DataArray, tried: xr.DataArray, tests: tuple[str, ...] = STRICTER,
                   sizes: tuple[float, ...] = SIZES) -> pd.DataFrame:
    """Return the share of ill-behaved curves by the test, and by the size that counts.

    All else is as in the procedure "corrected".

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        The curves to count, missing ones included.
    tests : tuple of str
        Names in `analysis.shapes.significance.TESTS`.
    sizes : tuple of float
        A significant violation counts from this size on, as an error rate.

    Returns
    -------
    pandas.DataFrame
        ``test, min_violation, ill_behaved``: percent of the curves tried; ``low, high``: 95 %
        interval from resampling datasets.
    """
    rows = []
    for test in tests:
        found = detect_shapes(valid, "corrected" if test == "paired" else test)
        for size in sizes:
            ill = ((found["non_monotone"] & (found["violation_mono"] >= size))
                   | (found["non_convex"] & (found["violation_conv"] >= size)))
            counted = 100 * ill.where(tried).to_series().dropna().astype(float)
            low, high = mean_interval(counted, counted.index.get_level_values("dataset"))
            rows.append((TESTS[test].name, size, counted.mean(), low, high))
    return pd.DataFrame(rows, columns=["test", "min_violation", "ill_behaved", "low", "high"])


def outer_correlation(valid: xr.DataArray) -> float:
    """Return how much repeats of one outer seed have in common, as a correlation.

    The intraclass correlation of inner repeats within outer seeds, from the analysis of variance of
    each anchor of each curve that has all its repeats, pooled over them. It says nothing of what
    all repeats share, the dataset.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., outer, inner, anchor)
        Error rates.
    """
    whole = valid.where(valid.notnull().all(["outer", "inner"]))
    k = valid.sizes["inner"]
    between = k * whole.mean("inner", skipna=False).var("outer", ddof=1, skipna=False)
    within = whole.var("inner", ddof=1, skipna=False).mean("outer", skipna=False)
    return float((between - within).sum() / (between + (k - 1) * within).sum())
