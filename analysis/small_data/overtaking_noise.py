"""How sure the size is from which a learner is ahead: the bootstrap over a dataset's repeats."""

import numpy as np
import xarray as xr

from analysis.intervals.bootstrap import LEVELS
from analysis.small_data.overtaking import overtaking_places


def resample_repeats(outer: int, inner: int, seed: int = 0, resamples: int = 1000) -> np.ndarray:
    """Return how often each repeat is drawn: outer splits first, then inner ones within each.

    Returns
    -------
    ndarray of float, shape (resamples, outer, inner)
        Every resample sums to ``outer * inner``.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(outer, np.full(outer, 1 / outer), size=resamples)
    return generator.multinomial(inner * drawn, np.full(inner, 1 / inner)).astype(float)


def size_intervals(apart: xr.DataArray, margin: float = 0.0, seed: int = 0,
                   resamples: int = 1000) -> xr.Dataset:
    """Return 95 % intervals of the size from which each learner is ahead, by dataset.

    Parameters
    ----------
    apart : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        From `analysis.small_data.overtaking.differences`.
    margin : float
        As in `overtaking`.
    seed, resamples : int
        Of the bootstrap. The repeats of a dataset share its rows: the interval says how far other
        splits of the same rows would move the size, not what other rows would.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner)
        ``low`` and ``high`` (rows; NaN: beyond the last common anchor, or no curves), ``certain``
        (share of resamples with a size: 1, always overtaken by the last anchor; 0, never).

    Raises
    ------
    ValueError
        Where the curves have no repeats.
    """
    if not {"outer", "inner"} <= set(apart.dims):
        raise ValueError("Intervals need repeats (dims outer and inner), and these curves have "
                         f"only {', '.join(map(str, apart.dims))}.")
    apart = apart.transpose("dataset", "learner", "outer", "inner", "anchor")
    times = resample_repeats(apart.sizes["outer"], apart.sizes["inner"], seed, resamples)
    times = times.reshape(resamples, -1)
    anchors = apart["anchor"].values.astype(float)
    found = np.stack([_one_dataset(values, times, anchors, margin) for values in apart.values])
    dims = ("dataset", "learner")
    return xr.Dataset({name: (dims, found[..., k])
                       for k, name in enumerate(("low", "high", "certain"))},
                      coords={d: apart[d].values for d in dims})


def _one_dataset(values: np.ndarray, times: np.ndarray, anchors: np.ndarray,
                 margin: float) -> np.ndarray:
    """Return low, high and certain per learner, shape (n_learners, 3)."""
    learners, n_anchors = values.shape[0], values.shape[-1]
    flat = values.reshape(learners, -1, n_anchors)
    there = ~np.isnan(flat)
    used = there.any(axis=(0, 1))
    if not used.any():
        return np.full((learners, 3), np.nan)
    flat, there = flat[..., used], there[..., used]
    total = np.einsum("br,lra->bla", times, np.where(there, flat, 0), optimize=True)
    count = np.einsum("br,lra->bla", times, there.astype(float), optimize=True)
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    at = overtaking_places(mean, margin)[2]
    size = np.where(at >= 0, anchors[used][at], np.inf)
    low, high = np.percentile(size, LEVELS, axis=0, method="inverted_cdf")
    ends = np.stack([low, high, (at >= 0).mean(axis=0)], axis=-1)
    ends[~np.isfinite(ends)] = np.nan
    ends[~there.any(axis=(1, 2))] = np.nan
    return ends
