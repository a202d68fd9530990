"""The share of truly ill-behaved curves, by size of violation, from calls that err at known rates.

Of each true size, a procedure calls a known share, and sees it as larger or smaller. What it sees
on real curves is a mixture of these; the weights that make it most likely (found by expectation
maximisation) are the shares of true sizes.
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.pool import SEEN_BINS, TRUE_BINS, classes_seen
from analysis.statistics.bootstrap import percentile_interval, resample_units
from analysis.statistics.repeats import TIE

THRESHOLDS = (0.005, 0.01, 0.02, 0.05)
STEPS = 300  # of expectation maximisation
RESAMPLES = 400
N_SEEN = len(SEEN_BINS) + 1


def seen_on(valid: xr.DataArray, tried: xr.DataArray, procedure: str, rows: xr.DataArray,
            family: pd.Series) -> pd.DataFrame:
    """Return a row per curve and verdict: how its violation is seen.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Validation error rates.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        Curves to count; a missing one counts as not called.
    procedure : str
        A name in `analysis.shapes.PROCEDURES`.
    rows : xarray.DataArray, dims (dataset,)
        Rows of each dataset, as in the pool it is held against.
    family : pandas.Series
        From `analysis.statistics.families.families_by_dataset`.
    """
    seen = classes_seen(valid, procedure).where(tried)
    table = seen.to_dataframe()[list(seen.data_vars)].dropna().astype(int).reset_index()
    dataset = table["dataset"]
    table = table.assign(family=dataset.map(family), rows=dataset.map(rows.to_series()))
    return table.melt(["dataset", "learner", "scaling", "family", "rows"], var_name="verdict",
                      value_name="seen")


def largest_anchor(errors: xr.DataArray) -> np.ndarray:
    """Return the largest anchor with any value, per dataset; 0 where there is none."""
    other = [d for d in errors.dims if d not in ("dataset", "anchor")]
    there = errors.notnull().any(other).transpose("dataset", "anchor").values
    return np.where(there, errors["anchor"].values, 0).max(axis=1)


def nearest_rows(largest: np.ndarray, classes: tuple[int, ...]) -> np.ndarray:
    """Return the number of rows, of those simulated, whose training sets are closest by ratio."""
    simulated = np.log(0.81 * np.array(classes))
    distance = np.abs(np.log(np.maximum(largest, 1))[:, None] - simulated)
    return np.array(classes)[distance.argmin(axis=1)]


def true_shares(seen: pd.DataFrame, pool: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Estimate the shares of curves with a true violation of at least each size.

    Parameters
    ----------
    seen : pandas.DataFrame
        From `seen_on`, of one procedure.
    pool : pandas.DataFrame
        From `count_pool`, of that procedure.
    seed : int
        Of the resamples: families of datasets, and what the pool would have counted.

    Returns
    -------
    pandas.DataFrame
        ``verdict, min_violation, rate, low, high``: percent of curves, 95 % interval. It counts
        which datasets there are, and that the error rates were measured on so many curves.
    """
    rng, parts = np.random.default_rng(seed), []
    classes = sorted(seen["rows"].unique())
    for verdict, curves in seen.groupby("verdict", sort=False):
        counts = _by_family(curves, classes)
        matrix = _pool_counts(pool[pool["verdict"] == verdict], classes)
        weights = deconvolve(counts.sum(axis=0), matrix / matrix.sum(axis=-1, keepdims=True))
        times = resample_units(len(counts), seed, RESAMPLES)
        drawn = np.einsum("sf,frc->src", times, counts)
        matrices = rng.standard_gamma(np.broadcast_to(matrix, (RESAMPLES, *matrix.shape)))
        resampled = deconvolve(drawn, matrices / matrices.sum(axis=-1, keepdims=True))
        best, spread = _at_least(weights, counts.sum(axis=0)), _at_least(resampled, drawn)
        low, high = percentile_interval(spread)
        parts.append(pd.DataFrame({"verdict": verdict, "min_violation": THRESHOLDS, "rate": best,
                                   "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)


def deconvolve(seen: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return the weights (..., n_true) under which the counts `seen` are most likely.

    Parameters
    ----------
    seen : ndarray, shape (..., n_seen)
        Counts; where all are 0, the weights are of no account.
    matrix : ndarray, shape (..., n_true, n_seen)
        Chances of being seen as each class, by true class; rows add up to 1.
    """
    share = seen / np.maximum(seen.sum(axis=-1, keepdims=True), 1)
    weights = np.full(matrix.shape[:-1], 1 / matrix.shape[-2])
    for _ in range(STEPS):
        joint = weights[..., None] * matrix
        mixed = joint.sum(axis=-2)
        ratio = np.divide(share, mixed, out=np.zeros_like(mixed), where=mixed > 0)
        weights = (joint * ratio[..., None, :]).sum(axis=-1)
    return weights


def _by_family(curves: pd.DataFrame, classes: list) -> np.ndarray:
    """Return counts (n_families, n_row_classes, n_seen)."""
    counts = np.zeros((curves["family"].nunique(), len(classes), N_SEEN))
    family = pd.factorize(curves["family"])[0]
    np.add.at(counts, (family, np.searchsorted(classes, curves["rows"]), curves["seen"]), 1)
    return counts


def _pool_counts(pool: pd.DataFrame, classes: list) -> np.ndarray:
    """Return the pool's counts (n_row_classes, n_true, n_seen), half a curve added to each."""
    counts = np.full((len(classes), len(TRUE_BINS), N_SEEN), 0.5)
    known = pool[pool["rows"].isin(classes)]
    np.add.at(counts, (np.searchsorted(classes, known["rows"]), known["true"], known["seen"]),
              known["curves"])
    return counts


def _at_least(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return percent of all curves with a true size of at least each threshold."""
    per_class = counts.sum(axis=-1)
    mixed = (weights * per_class[..., None]).sum(axis=-2) / per_class.sum(axis=-1)[..., None]
    large = np.array(TRUE_BINS) >= np.array(THRESHOLDS)[:, None] - TIE
    return 100 * mixed @ large.T
