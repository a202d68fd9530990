"""Errors of fits and ill-behaviour, with intervals that take datasets as units.

Curves of one dataset share its rows, so that intervals that take curves as independent are too
narrow. Here whole datasets are resampled, and effects of learners and datasets can be taken out.
"""

import numpy as np
from scipy import stats

from analysis.intervals.bootstrap import percentile_interval, resample_datasets
from analysis.intervals.ties import TIE


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
    names, at = np.unique(dataset, return_inverse=True)
    return resample_datasets(len(names))[:, at]


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
