"""How ill-behaviour and the error of fitted curves go together, with intervals over datasets.

Curves of one dataset share its rows, so that intervals that take curves as independent are too
narrow. Here whole families of datasets are resampled, and effects of learners and datasets can be
taken out.
"""


import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.statistics.bootstrap import percentile_interval, resample_datasets
from analysis.statistics.repeats import TIE

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


def relate_to_violation(mse: xr.DataArray, violation: xr.DataArray,
                        level: float = 0.95) -> pd.DataFrame:
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


def clustered_relation(errors: np.ndarray, size: np.ndarray,
                       dataset: np.ndarray) -> dict[str, float]:
    """Return 95 % intervals of the rank correlation and the slope of log error on size.

    Parameters
    ----------
    errors, size, dataset : ndarray, shape (n_curves,)
        Mean squared errors (above 0), sizes of violations, and the dataset of each curve.

    Returns
    -------
    dict
        ``spearman_low, spearman_high, slope_low, slope_high``; nothing with fewer than four curves
        or one size.
    """
    if len(errors) < 4 or np.ptp(size) == 0:
        return {}
    times = _times(dataset)
    ends = {"spearman": _rank_correlations(size, errors, times),
            "slope": _slopes(size, np.log(errors), times)}
    return {f"{name}_{end}": float(value) for name, draws in ends.items()
            for end, value in zip(("low", "high"), percentile_interval(draws), strict=True)}


def clustered_gap(log_errors: np.ndarray, ill: np.ndarray, dataset: np.ndarray) -> dict[str, float]:
    """Return the 95 % interval of Hedges' g, ill- minus well-behaved.

    Parameters
    ----------
    log_errors, ill, dataset : ndarray, shape (n_curves,)
        Logarithms of errors, whether each curve is ill-behaved, its dataset.

    Returns
    -------
    dict
        ``g_low, g_high``; nothing where a group has fewer than two curves.
    """
    if min(ill.sum(), (~ill).sum()) < 2:
        return {}
    times = _times(dataset)
    (n, high, spread), (m, low, other) = (
        _moments(times * kind, log_errors) for kind in (ill, ~ill))
    with np.errstate(invalid="ignore", divide="ignore"):
        g = (high - low) / np.sqrt((spread + other) / (n + m - 2)) * (1 - 3 / (4 * (n + m) - 9))
    low, high = percentile_interval(np.where(np.isfinite(g), g, np.nan))
    return {"g_low": float(low), "g_high": float(high)}


def ratio_without_effects(log_errors: np.ndarray, ill: np.ndarray, dataset: np.ndarray,
                          learner: np.ndarray) -> dict[str, float]:
    """Return the ratio of geometric means, ill to well, among curves of one learner and dataset.

    The coefficient of ill-behaviour in a regression of the log error on it, every learner and every
    dataset; its interval is from standard errors clustered by dataset.

    Parameters
    ----------
    log_errors, ill, dataset, learner : ndarray, shape (n_curves,)
        Logarithms (base 10) of errors, whether ill-behaved, dataset, learner.

    Returns
    -------
    dict
        ``own_ratio, own_low, own_high``; nothing where ill-behaviour follows from the learner and
        the dataset.
    """
    effects = np.hstack([dataset[:, None] == np.unique(dataset)[1:],
                         learner[:, None] == np.unique(learner)]).astype(float)
    both = np.column_stack([ill.astype(float), log_errors])
    x, y = (both - effects @ np.linalg.lstsq(effects, both, rcond=None)[0]).T
    if (x @ x) < 1e-9:
        return {}
    slope = (x @ y) / (x @ x)
    score = np.bincount(np.unique(dataset, return_inverse=True)[1], x * (y - slope * x))
    error = np.sqrt((score**2).sum() * len(score) / max(len(score) - 1, 1)) / (x @ x)
    half = stats.t.ppf(0.975, max(len(score) - 1, 1)) * error
    return {name: float(10 ** (slope + sign * half))
            for name, sign in (("own_ratio", 0), ("own_low", -1), ("own_high", 1))}


def _times(dataset: np.ndarray) -> np.ndarray:
    """Return how often each curve counts in each resample of datasets."""
    return resample_datasets(dataset)


def _moments(weights: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return counts, means and sums of squares about the mean, one per row of weights."""
    n = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = weights @ values / n
    return n, mean, weights @ values**2 - n * mean**2


def _slopes(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    _, mean_x, spread = _moments(weights, x)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (weights @ (x * y) - mean_x * (weights @ y)) / spread
    return np.where(spread > TIE, slope, np.nan)


def _rank_correlations(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    n = weights.sum(axis=1, keepdims=True)
    a, b = (_midranks(v, weights) - (n + 1) / 2 for v in (x, y))
    parts = [(weights * p).sum(axis=1) for p in (a * b, a * a, b * b)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(parts[1] * parts[2] > 0, parts[0] / np.sqrt(parts[1] * parts[2]), np.nan)


def _midranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return each value's rank, ties sharing theirs, in samples in which it is so many times."""
    names, at = np.unique(values, return_inverse=True)
    tied = np.zeros((len(weights), len(names)))
    np.add.at(tied, (slice(None), at), weights)
    return (tied.cumsum(axis=1) - (tied - 1) / 2)[:, at]
