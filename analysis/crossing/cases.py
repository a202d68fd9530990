"""Single crossings: the clearest ones, and those on which the two rules disagree."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.crossing.crossing import PAIR, crossings, mean_curves

#: Why the published rule sees no crossing where the corrected one does, or the other way round,
#: in words; the first that applies is given.
NO_START = "a curve has no value at the database's first anchor"
GAPS = "a curve has some repeats missing at the first anchor"
OTHER_ENDS = "the last anchor differs, or the two are tied"


def clearest_crossings(valid: xr.DataArray) -> pd.DataFrame:
    """List crossings from the clearest: a large lead at the start and a large deficit at the end.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates, NaN where missing.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and ordered pair that cross by the corrected rule: dataset, learner_a,
        learner_b, lead (of A at the first common anchor), deficit (of A at the last), in error
        rate, and published (whether the published rule sees it). The smaller of the two sorts.
    """
    table = _crossing_by(valid).query("corrected")
    mean = mean_curves(valid)
    where = [xr.DataArray(table[c].to_numpy(), dims="case") for c in ("dataset", *PAIR)]
    gap = (mean.sel(dataset=where[0], learner=where[2])
           - mean.sel(dataset=where[0], learner=where[1])).transpose("case", "anchor").values
    common = ~np.isnan(gap)
    first, last = common.argmax(axis=1), gap.shape[1] - 1 - common[:, ::-1].argmax(axis=1)
    rows = np.arange(len(gap))
    table = table.assign(lead=gap[rows, first], deficit=-gap[rows, last])
    order = np.argsort(-table[["lead", "deficit"]].min(axis=1).to_numpy(), kind="stable")
    return table.iloc[order][["dataset", *PAIR, "lead", "deficit", "published"]].reset_index(
        drop=True)


def disagreements(valid: xr.DataArray) -> pd.DataFrame:
    """Count the crossings that both rules see, and why one of them misses the others.

    Parameters
    ----------
    valid
        As in `clearest_crossings`.

    Returns
    -------
    pandas.DataFrame
        Columns: seen_by ("both", "corrected", "published"), reason (empty for both), crossings
        (dataset and ordered pair), share (of all that either sees, in percent).
    """
    table = _crossing_by(valid)
    complete, some = (mean_curves(valid, rule).isel(anchor=0).notnull()
                      for rule in ("published", "corrected"))
    lacks = {NO_START: ~some, GAPS: ~complete}
    reason = np.full(len(table), OTHER_ENDS, object)
    for text, absent in reversed(lacks.items()):
        either = [absent.sel(dataset=xr.DataArray(table["dataset"], dims="case"),
                             learner=xr.DataArray(table[side], dims="case")).values
                  for side in PAIR]
        reason[either[0] | either[1]] = text
    seen_by = np.select([table["published"] & table["corrected"], table["corrected"]],
                        ["both", "corrected"], "published")
    reason[seen_by == "both"] = ""
    counts = pd.DataFrame({"seen_by": seen_by, "reason": reason}).value_counts()
    counts = counts.rename("crossings").reset_index()
    return counts.assign(share=100 * counts["crossings"] / counts["crossings"].sum())


def _crossing_by(valid: xr.DataArray) -> pd.DataFrame:
    """Return a row per dataset and ordered pair that either rule sees cross."""
    seen = xr.Dataset({rule: crossings(valid, rule)["crosses"]
                       for rule in ("published", "corrected")})
    either = np.argwhere((seen["published"] | seen["corrected"]).values)
    labels = {dim: seen[dim].values[either[:, k]] for k, dim in enumerate(("dataset", *PAIR))}
    return pd.DataFrame(labels | {rule: seen[rule].values[tuple(either.T)] for rule in seen})
