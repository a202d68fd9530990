"""Where peaks stand, against the number of features (Appendix E), and peaks between neighbours.

Appendix H classifies each segment between neighbouring anchors by t-tests; a worsening that an
improvement follows makes a peak. Section 4 looks at all sizes at once: `analysis.detect_shapes`.
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.rates import share_of
from analysis.shapes.significance import ALPHA, t_test
from analysis.statistics.bootstrap import FEW
from analysis.statistics.summary import REPEATS, summarise
from collection.containers.curves import only_dims


def peaks_against_features(shapes: xr.Dataset, features: pd.Series) -> pd.DataFrame:
    """Return where each peaking curve has its peak, beside its dataset's number of features.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.
    features : pandas.Series
        Number of features (after one-hot encoding) by dataset; NaN where unknown.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``learner``, ``peak`` (rows), ``features`` and ``ratio``, the peak's
        place in units of the number of features. Curves without a peak, or on datasets whose
        features are unknown, are left out.
    """
    peak = only_dims(shapes["conv_i"].where(shapes["peaking"]).rename("peak"))
    table = peak.to_dataframe().dropna().reset_index()
    table["features"] = table["dataset"].map(features)
    table = table.dropna(subset="features").assign(ratio=lambda t: t["peak"] / t["features"])
    return table.reset_index(drop=True)


def peaks_by_reach(errors: xr.DataArray, peaking: xr.DataArray, features: pd.Series,
                   tall: float) -> pd.DataFrame:
    """Return how many curves of a learner peak, by whether they reach to both sides of a peak.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, outer, inner, anchor)
        Of one learner.
    peaking : xarray.DataArray of bool, dims (dataset)
        Which peak, from `analysis.detect_shapes`.
    features : pandas.Series
        As for `peaks_against_features`.
    tall : float
        In the unit of the errors: a mean curve that stands so far above both its sides bends.

    Returns
    -------
    pandas.DataFrame
        ``margin``, the sizes that there are besides one below and one above the number of
        features; ``inside``, whether there are; ``curves``; of these ``peaks``, with ``percent,
        low, high``, and ``bends``. Curves on datasets whose features are unknown do not count.
    """
    there = errors.notnull().any(REPEATS)
    passed = features.reindex(errors["dataset"].values).rename_axis("dataset").to_xarray()
    counted = there.any("anchor") & passed.notnull()
    below, above = ((there & side).sum("anchor") for side in (
        there["anchor"] <= passed, there["anchor"] >= passed))
    mean = errors.mean(REPEATS).transpose("anchor", ...)
    sides = [np.fmin.accumulate(mean.values[::way])[::way] for way in (1, -1)]
    bends = (mean - np.fmax(*sides)).max("anchor") > tall
    rows = []
    for margin in (0, 1, 2):
        reaches = (below > margin) & (above > margin)
        for inside, some in ((True, reaches & counted), (False, ~reaches & counted)):
            share = share_of(peaking, some)
            if share.n:
                rows.append((margin, inside, share.n, round(share.value * share.n / 100),
                             share.value, share.low, share.high, int((bends & some).sum())))
    return pd.DataFrame(rows, columns=["margin", "inside", "curves", "peaks", "percent", "low",
                                       "high", "bends"])


def ratio_interval(table: pd.DataFrame, seed: int = 0, resamples: int = 2000) -> pd.DataFrame:
    """Return the median of ``ratio`` by learner with a 95 % bootstrap interval over datasets.

    Parameters
    ----------
    table : pandas.DataFrame
        From `peaks_against_features`: at most one row per dataset and learner.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    pandas.DataFrame
        Columns ``learner``, ``peaks`` (how many), ``median``, ``low``, ``high``, NaN with
        fewer than five peaks.
    """
    rows = []
    for learner, group in table.groupby("learner", sort=False):
        found = summarise(group["ratio"], group["dataset"], _medians, seed, resamples)
        ends = (found.low, found.high) if len(group) >= FEW else (np.nan, np.nan)
        rows.append((learner, len(group), found.value, *ends))
    table = pd.DataFrame(rows, columns=["learner", "peaks", "median", "low", "high"])
    return table.sort_values("peaks", ascending=False, ignore_index=True, kind="stable")


def _medians(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.array([np.median(np.repeat(values, t)) for t in times.astype(int)])


def local_peaks(valid: xr.DataArray, alpha: float = ALPHA) -> xr.DataArray:
    """Tell which curves get worse from one anchor to the next, and better again later on.

    Parameters
    ----------
    valid : xarray.DataArray
        As for `analysis.detect_shapes`.
    alpha : float
        Significance level. One-sided paired t-tests over the repeats, both ways, are corrected for
        the number of segments; what may be rounding is insignificant.

    Returns
    -------
    xarray.DataArray of bool
        Over the remaining dims.
    """
    stack = CurveStack(valid)
    found = np.concatenate([_peaks(curves, alpha) for curves in stack.blocks()])
    return stack.labelled({"peak": found})["peak"]


def _peaks(curves: Curves, alpha: float) -> np.ndarray:
    worse, peak = np.zeros((2, len(curves)), dtype=bool)
    for k in range(curves.means.shape[1] - 1):
        rise = curves.values[:, :, k + 1] - curves.values[:, :, k]
        up, down = (t_test(change) for change in (rise, -rise))
        real = np.abs(up.mean) > curves.rounding
        peak |= worse & real & (down.p * (curves.counts - 1) < alpha)
        worse |= real & (up.p * (curves.counts - 1) < alpha)
    return peak
