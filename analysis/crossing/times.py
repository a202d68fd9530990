"""When along the curve crossings happen: every change of order, not only start against end."""

from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.crossing.crossing import mean_curves
from analysis.intervals.bootstrap import ratio_of_sums_interval
from analysis.intervals.ties import TIE


def order_changes(curves: xr.DataArray) -> xr.Dataset:
    """Find the anchors at which one learner overtakes another.

    Parameters
    ----------
    curves : xarray.DataArray, dims (dataset, learner, anchor[, scaling, leakage, outer, inner])
        Error rates of one split; the mean over the repeats is compared. NaN where missing.

    Returns
    -------
    xarray.Dataset, dims (dataset, pair, anchor)
        Booleans: ``common`` (both curves have a value), ``changes`` (the order differs from
        that at the last common anchor where the two were not tied), ``settles`` (the last such
        change). The change lies between that earlier anchor and this one. Coordinates
        ``learner_a`` and ``learner_b`` along ``pair``, each unordered pair once.

    Raises
    ------
    ValueError
        As `analysis.crossing.crossing.mean_curves`.
    """
    mean = mean_curves(curves)
    pairs = np.array(list(combinations(range(mean.sizes["learner"]), 2)))
    difference = mean.values[:, pairs[:, 0]] - mean.values[:, pairs[:, 1]]
    common = ~np.isnan(difference)
    sign = np.where(common & (np.abs(difference) > TIE), np.sign(difference), 0).astype(np.int8)
    before = _last_order(sign)
    changes = sign * before < 0
    later = np.cumsum(changes[..., ::-1], axis=-1)[..., ::-1]
    dims = ("dataset", "pair", "anchor")
    learners = mean["learner"].values[pairs]
    return xr.Dataset(
        {
            "common": (dims, common),
            "changes": (dims, changes),
            "settles": (dims, changes & (later == 1)),
        },
        coords={
            "dataset": mean["dataset"].values,
            "anchor": mean["anchor"].values,
            "learner_a": ("pair", learners[:, 0]),
            "learner_b": ("pair", learners[:, 1]),
        },
    )


def _last_order(sign: np.ndarray) -> np.ndarray:
    """Return at each anchor the latest earlier sign that is not 0, or 0."""
    position = np.where(sign != 0, np.arange(sign.shape[-1]), 0)
    latest = np.maximum.accumulate(position, axis=-1)
    filled = np.take_along_axis(sign, latest, axis=-1)
    return np.concatenate([np.zeros_like(filled[..., :1]), filled[..., :-1]], axis=-1)


def crossings_by_size(changes: xr.Dataset, seed: int = 0, repeats: int = 1000) -> pd.DataFrame:
    """Count the changes of order per doubling of the training set.

    Parameters
    ----------
    changes : xarray.Dataset
        What `order_changes` returns.
    seed, repeats : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        A row per doubling: low, high (rows of training data; the anchors in (low, high]),
        exposed (pairs × datasets with a common anchor there), changes, settles, rate (changes
        per exposed pair, with rate_low and rate_high, its 95 % percentile interval).
    """
    anchor = changes["anchor"].values
    doubling = np.ceil(np.log2(anchor / anchor[0]) - 1e-9).astype(int)
    counted = [_count_bins(changes[name].values, doubling) for name in ("changes", "settles")]
    exposed = np.stack(
        [changes["common"].values[..., doubling == k].any(axis=-1).sum(axis=1)
         for k in range(1, doubling.max() + 1)], axis=1
    )
    table = _rates(*(c[:, 1:] for c in counted), exposed, seed, repeats)
    low = anchor[0] * 2 ** np.arange(doubling.max())
    return pd.concat([pd.DataFrame({"low": low, "high": 2 * low}), table], axis=1)


def crossings_by_position(
    changes: xr.Dataset, bins: int = 10, seed: int = 0, repeats: int = 1000
) -> pd.DataFrame:
    """Count the changes of order by how far along the two curves they happen.

    Parameters
    ----------
    changes : xarray.Dataset
        What `order_changes` returns.
    bins : int
        Number of equal parts of the way from the first to the last common anchor, in logarithms.
    seed, repeats : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        A row per part: low, high (0 the first common anchor, 1 the last; the positions in
        (low, high]), then as `crossings_by_size`.
    """
    common = changes["common"].values
    place = np.broadcast_to(np.log2(changes["anchor"].values), common.shape)
    first = np.min(place, axis=-1, where=common, initial=np.inf)
    last = np.max(place, axis=-1, where=common, initial=-np.inf)
    part = np.full(common.shape, -1)
    spans = last > first
    along = (place[spans] - first[spans, None]) / (last - first)[spans, None]
    part[spans] = np.clip(np.ceil(along * bins - 1e-9) - 1, 0, bins - 1)
    counted = [_count_bins(changes[name].values & (part >= 0), part, bins)
               for name in ("changes", "settles")]
    exposed = np.repeat(spans.sum(axis=1)[:, None], bins, axis=1)
    edges = np.arange(bins + 1) / bins
    table = _rates(*counted, exposed, seed, repeats)
    return pd.concat([pd.DataFrame({"low": edges[:-1], "high": edges[1:]}), table], axis=1)


def _count_bins(events: np.ndarray, bin_: np.ndarray, n_bins: int | None = None) -> np.ndarray:
    """Count events per dataset and bin; `bin_` is per anchor, or of the events' own shape."""
    n_bins = bin_.max() + 1 if n_bins is None else n_bins
    dataset, pair, anchor = np.nonzero(events)
    which = bin_[anchor] if bin_.ndim == 1 else bin_[dataset, pair, anchor]
    flat = np.bincount(dataset * n_bins + which, minlength=len(events) * n_bins)
    return flat.reshape(len(events), n_bins)


def _rates(
    changes: np.ndarray, settles: np.ndarray, exposed: np.ndarray, seed: int, repeats: int
) -> pd.DataFrame:
    """Total the counts of shape (dataset, bin), with a bootstrap interval of their ratio."""
    low, high = ratio_of_sums_interval(changes, exposed, seed, repeats)
    total = exposed.sum(axis=0)
    return pd.DataFrame({
        "exposed": total,
        "changes": changes.sum(axis=0),
        "settles": settles.sum(axis=0),
        "rate": changes.sum(axis=0) / np.where(total > 0, total, np.nan),
        "rate_low": low,
        "rate_high": high,
    })
