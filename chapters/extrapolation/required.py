"""How much more data is needed: the size a fitted curve predicts against the one it took."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from analysis.fitting import fit_curves
from collection.container import only_dims

LEAST_ANCHORS = 4  # as many as any model's parameters, so that all are compared on the same curves
#: Whether the target is reached within the recorded data: in truth, and by prediction.
OUTCOMES = {(True, True): "both", (True, False): "only in truth",
            (False, True): "only predicted", (False, False): "neither"}


def end_of_part(curves: xr.DataArray, share: float) -> xr.DataArray:
    """Return the training-set size at which the first `share` of each curve's anchors ends.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.
    share : float
        Of the anchors, rounded down, so that a part of a curve is the same for all models.

    Returns
    -------
    DataArray, dims (...)
        In rows; NaN where the part has fewer than `LEAST_ANCHORS` anchors.
    """
    seen = curves.notnull()
    wanted = np.floor(share * seen.sum("anchor") + 1e-9)
    inside = seen & (seen.cumsum("anchor") <= wanted)
    return curves["anchor"].where(inside).max("anchor").where(wanted >= LEAST_ANCHORS)


def required_sizes(curves: xr.DataArray, models: Iterable[str], *, share: float = 0.5,
                   reduction: float = 0.1) -> pd.DataFrame:
    """Predict how many rows an error rate lower by `reduction` takes, and look up the truth.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Mean error rates; NaN where there is no anchor.
    models : iterable of str
        Names from `analysis.fitting.registry.MODELS`.
    share : float
        The part of each curve's anchors that is seen.
    reduction : float
        Relative: 0.1 asks for nine tenths of the error at the last anchor seen.

    Returns
    -------
    DataFrame
        A row per curve and model: the labels of the other dims, ``model``, ``now`` (the last
        training-set size seen), ``last_anchor``, ``target`` (error rate), ``needed`` and
        ``predicted`` (training-set sizes at which the curve and its fit first reach the target,
        straight lines joining anchors on a logarithmic axis; NaN where that is not within the
        recorded data), ``outcome`` (of `OUTCOMES`) and ``doublings`` (log2 of predicted over
        needed; NaN unless both are known). Curves too short for the part are not listed.
    """
    now = end_of_part(curves, share)
    fits = fit_curves(curves, models, up_to=now)
    last = curves["anchor"].where(curves.notnull()).max("anchor")
    target = (1 - reduction) * curves.where(curves["anchor"] == now).max("anchor")
    ahead = (curves["anchor"] >= now) & (curves["anchor"] <= last)
    result = xr.Dataset({"now": now, "last_anchor": last, "target": target,
                         "needed": first_reach(curves.where(ahead), target),
                         "predicted": first_reach(fits["prediction"].where(ahead), target)})
    order = [d for d in (*curves.dims, "model") if d != "anchor"]
    table = only_dims(result)
    table = table.to_dataframe(dim_order=order).reset_index().dropna(subset="now")
    known = table[["needed", "predicted"]].notna().itertuples(index=False, name=None)
    return table.assign(outcome=[OUTCOMES[k] for k in known],
                        doublings=np.log2(table["predicted"] / table["needed"]))


def first_reach(curves: xr.DataArray, target: xr.DataArray) -> xr.DataArray:
    """Return the training-set size at which each curve first is as low as its target.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.
    target : DataArray, dims (...)

    Returns
    -------
    DataArray, dims (...)
        In rows, between anchors by a straight line over log(size); NaN where never.
    """
    curves, target = xr.broadcast(curves, target, exclude=["anchor"])
    values = curves.transpose(..., "anchor").values
    goal = target.transpose(*(d for d in curves.dims if d != "anchor"))
    sizes = np.log(curves["anchor"].values.astype(float))
    low = values <= goal.values[..., None]
    end = low.argmax(-1)[..., None]
    earlier = np.isfinite(values) & (np.arange(len(sizes)) < end)
    start = np.where(earlier, np.arange(len(sizes)), -1).max(-1, keepdims=True)
    top, bottom = (np.take_along_axis(values, np.maximum(i, 0), -1)[..., 0] for i in (start, end))
    gap = np.where(start[..., 0] >= 0, top - bottom, np.nan)
    way = np.divide(top - goal.values, gap, out=np.ones_like(gap), where=gap > 0)
    step = (sizes[end] - sizes[np.maximum(start, 0)])[..., 0]
    at = np.exp(np.where(gap > 0, sizes[end][..., 0] - (1 - way) * step, sizes[end][..., 0]))
    return goal.copy(data=np.where(low.any(-1), at, np.nan))
