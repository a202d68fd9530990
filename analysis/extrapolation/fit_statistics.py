"""How ill-behaviour and the error of fitted curves go together (DA3)."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

EXACT = 1e-20  # mean squared errors below are rounding: their logarithm says nothing


def compare_fits(mse: xr.DataArray, ill: xr.DataArray, level: float = 0.95) -> pd.DataFrame:
    """Compare the errors of fits between well- and ill-behaved curves, model by model.

    Parameters
    ----------
    mse : DataArray, dims (..., model)
        Mean squared errors, as in `fit_curves`; NaN is left out. Leave flat curves out (set them
        to NaN), as the paper does: any model fits them well.
    ill : DataArray of bool, dims (...)
        Whether a curve is ill-behaved: non-monotone, or non-convex.
    level : float
        Of the confidence intervals.

    Returns
    -------
    DataFrame
        A row per model: ``n_well``, ``n_ill``, ``n_exact`` (left out, see `EXACT`);
        ``mean_log_mse_well``, ``mean_log_mse_ill`` (log10); ``ratio`` of the geometric means
        (ill / well) with ``ratio_low``, ``ratio_high`` by Welch's interval; ``hedges_g`` of the
        log MSE with ``g_low``, ``g_high``; ``welch_p`` on the log MSE; and ``welch_p_raw`` on
        the MSE itself. NaN where a group has fewer than two curves.

    Notes
    -----
    Section 5.4 and Figure 5a of the paper. Its figure and means are of the logarithm; the p-values
    of the published notebook are of the size that a test of the MSE itself gives, while a test of
    the logarithm gives far smaller ones.
    """
    return _per_model(mse, ill, lambda errors, is_ill: _compare(errors, is_ill > 0, level))


def relate_to_violation(
    mse: xr.DataArray, violation: xr.DataArray, level: float = 0.95
) -> pd.DataFrame:
    """Relate the errors of fits to the size of the curves' violations, model by model.

    Parameters
    ----------
    mse : DataArray, dims (..., model)
        As in `compare_fits`.
    violation : DataArray, dims (...)
        Size of the largest violation, in units of the curve; NaN is left out. The published
        analysis takes significant violations only.
    level : float
        Of the confidence intervals.

    Returns
    -------
    DataFrame
        A row per model: ``n``, ``n_exact``, ``spearman`` with ``spearman_low``,
        ``spearman_high`` (Fisher's transformation with Bonett and Wright's variance) and
        ``spearman_p``; ``slope``, ``intercept`` of the natural log MSE regressed on the violation
        with ``slope_low``, ``slope_high``. NaN with fewer than four curves.

    Notes
    -----
    Section 5.4 and Figure 5b of the paper.
    """
    return _per_model(mse, violation, lambda errors, size: _relate(errors, size, level))


def _per_model(mse, other, analyse) -> pd.DataFrame:
    """Hand each model's curves that have both values, and a usable error, to `analyse`."""
    dims = [dim for dim in mse.dims if dim != "model"]
    other = other.astype(float).transpose(*dims)
    rows = []
    for name in mse["model"].values:
        errors, values = xr.align(mse.sel(model=name, drop=True).transpose(*dims), other)
        errors, values = errors.values.ravel(), values.values.ravel()
        both = np.isfinite(errors) & np.isfinite(values)
        exact = both & (errors < EXACT)
        both &= ~exact
        rows.append({"model": name, "n_exact": exact.sum(), **analyse(errors[both], values[both])})
    return pd.DataFrame(rows)


def _compare(errors: np.ndarray, ill: np.ndarray, level: float) -> dict[str, float]:
    sizes = {"n_well": (~ill).sum(), "n_ill": ill.sum()}
    if min(sizes.values()) < 2:
        return sizes
    log = np.log10(errors)
    test = stats.ttest_ind(log[ill], log[~ill], equal_var=False)
    ends = test.confidence_interval(level)
    return sizes | {
        "mean_log_mse_well": log[~ill].mean(), "mean_log_mse_ill": log[ill].mean(),
        "ratio": 10 ** (log[ill].mean() - log[~ill].mean()),
        "ratio_low": 10**ends.low, "ratio_high": 10**ends.high,
        **_hedges_g(log[ill], log[~ill], level),
        "welch_p": test.pvalue,
        "welch_p_raw": stats.ttest_ind(errors[ill], errors[~ill], equal_var=False).pvalue,
    }


def _hedges_g(high: np.ndarray, low: np.ndarray, level: float) -> dict[str, float]:
    """Return Hedges' g and its interval by the large-sample variance."""
    n, m = len(high), len(low)
    pooled = ((n - 1) * high.var(ddof=1) + (m - 1) * low.var(ddof=1)) / (n + m - 2)
    g = (high.mean() - low.mean()) / np.sqrt(pooled) * (1 - 3 / (4 * (n + m) - 9))
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt((n + m) / (n * m) + g**2 / (2 * (n + m)))
    return {"hedges_g": g, "g_low": g - half, "g_high": g + half}


def _relate(errors: np.ndarray, size: np.ndarray, level: float) -> dict[str, float]:
    if len(errors) < 4 or np.ptp(size) == 0:
        return {"n": len(errors)}
    rho, p = stats.spearmanr(size, errors)
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt((1 + rho**2 / 2) / (len(errors) - 3))
    with np.errstate(divide="ignore"):  # a perfect correlation has no interval
        low, high = np.tanh(np.arctanh(rho) + np.array([-half, half]))
    line = stats.linregress(size, np.log(errors))
    margin = stats.t.ppf((1 + level) / 2, len(errors) - 2) * line.stderr
    return {
        "n": len(errors), "spearman": rho, "spearman_low": low, "spearman_high": high,
        "spearman_p": p, "slope": line.slope, "intercept": line.intercept,
        "slope_low": line.slope - margin, "slope_high": line.slope + margin,
    }
