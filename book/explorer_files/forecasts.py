"""Forecasts that the explorer overlays: what the recommended extrapolator says at a few cuts."""

import numpy as np
import xarray as xr

from analysis.extrapolation import predict

#: Sizes at which curves are cut, in rows; each is shown until the reader's cut reaches the next.
CUTS = tuple(64 * 2**k for k in range(0, 12, 2))
AHEAD = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # doublings from the cut that are predicted
LEVELS = (0.05, 0.5, 0.95)
LEAST = 4  # anchors seen; from so many on the intervals are tested
DIGITS = 4


def database_forecasts(valid: xr.DataArray) -> list[list[dict]]:
    """Forecast the curves of a database from every cut.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, [outer, inner,] anchor)
        Validation error rates of one scaling and leakage; NaN where missing.

    Returns
    -------
    list of list of dict
        For each dataset, a dict per cut that leaves something to predict: ``cut`` (rows), ``sizes``
        (rows, the last one at or beyond the largest anchor, or `AHEAD`'s last), and ``learners``,
        by name a list per size of the quantiles `LEVELS`. A curve is there if it has `LEAST`
        anchors up to the cut, and one beyond it.
    """
    found = [[] for _ in range(valid.sizes["dataset"])]
    for cut in CUTS:
        for at, forecast in _from_cut(valid, cut):
            found[at].append(forecast)
    return found


def _from_cut(valid: xr.DataArray, cut: int):
    """Yield the position of each dataset that can be forecast from a cut, and its forecast."""
    there = valid.notnull()
    there = there.any([d for d in there.dims if d in ("outer", "inner")])
    before, after = (there.where(there["anchor"] <= cut, False).sum("anchor") >= LEAST,
                     there.where(there["anchor"] > cut, False).any("anchor"))
    shown = before & after
    some = np.flatnonzero(shown.any("learner"))
    if not len(some):
        return
    seen = valid.isel(dataset=some).where(valid["anchor"] <= cut)
    count = there.isel(dataset=some).where(there["anchor"] <= cut, False).sum("anchor")
    sizes = np.round(cut * 2.0 ** np.array(AHEAD))
    values = predict(seen.where(count >= 2), sizes, levels=LEVELS)
    values = values.transpose("dataset", "learner", "size", "quantile").values
    for position, one, own, kept in zip(some, values, there.values[some], shown.values[some],
                                        strict=True):
        end = valid["anchor"].values[own.any(0)].max()
        upto = min(int(np.searchsorted(sizes, end)) + 1, len(sizes))
        yield position, {
            "cut": cut, "sizes": sizes[:upto].astype(int).tolist(),
            "learners": {str(name): np.round(one[k, :upto], DIGITS).tolist()
                         for k, name in enumerate(valid["learner"].values) if kept[k]}}
