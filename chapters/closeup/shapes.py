"""Shapes of the same fits in other metrics, and phase transitions of a learner by scaling."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import binomtest

from analysis.databases.counted import NOT_COUNTED
from analysis.shapes import detect_shapes
from analysis.shapes.transitions import detect_transitions
from analysis.statistics.bootstrap import share_interval

#: Each metric as a loss, of which less is better.
LOSSES = {"error rate": lambda c: c["error_rate"], "1 − F1": lambda c: 1 - c["f1"],
          "1 − AUC": lambda c: 1 - c["auc"], "log-loss": lambda c: c["log_loss"]}
JUDGED = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
#: Anchors that a curve has to spare at either side of as many rows as features.
MARGINS = (0, 1, 2)


def shapes_by_metric(curves: xr.Dataset) -> pd.DataFrame:
    """Return the share of curves with each shape, metric by metric, on the curves that have all.

    Parameters
    ----------
    curves : xarray.Dataset, dims (dataset, learner, outer, inner, anchor)
        Validation metrics ``error_rate, f1, auc, log_loss`` in one setting.

    Returns
    -------
    pandas.DataFrame
        ``metric, verdict, curves, datasets``; ``percent, low, high``: with its 95 % interval over
        datasets. Corrected procedure; learners that Table 4 counts.
    """
    curves = curves.sel(learner=~curves["learner"].isin(NOT_COUNTED))
    losses = {name: loss(curves) for name, loss in LOSSES.items()}
    whole = xr.concat([x.notnull().any(["outer", "inner", "anchor"]) for x in losses.values()],
                      "metric").all("metric")
    rows = []
    for name, loss in losses.items():
        found = detect_shapes(loss, "corrected")
        for verdict in JUDGED:
            has = 100 * found[verdict].where(whole).to_series().dropna().astype(float)
            datasets = has.index.get_level_values("dataset")
            rows.append((name, verdict, len(has), datasets.nunique(), has.mean(),
                         *share_interval(has, datasets)))
    return pd.DataFrame(rows, columns=["metric", "verdict", "curves", "datasets", "percent", "low",
                                       "high"])


def transitions_by_scaling(errors: xr.DataArray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Look for phase transitions in each curve of a learner, and count them by scaling.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, scaling, outer, inner, anchor)
        Error rates of one learner; every dataset under every scaling.

    Returns
    -------
    counts : pandas.DataFrame
        ``scaling, curves, found``, ``percent`` with its 95 % interval ``low`` to ``high``
        (Clopper and Pearson's), ``median_drop``: of the clearest drop, 0 where there is none, in
        error rate.
    curves : pandas.DataFrame
        ``dataset, scaling, found`` (bool), ``drop`` (error rate), ``after, by`` (rows: from where
        to where it drops).
    """
    found = detect_transitions(errors)
    named = {"phase_transition": "found", "transition_drop": "drop", "transition_i": "after",
             "transition_j": "by"}
    curves = found[list(named)].rename(named).to_dataframe()[list(named.values())].reset_index()
    rows = []
    for scaling, group in curves.groupby("scaling", sort=False):
        share = binomtest(int(group["found"].sum()), len(group))
        low, high = share.proportion_ci()
        rows.append((scaling, len(group), int(group["found"].sum()), 100 * share.statistic,
                     100 * low, 100 * high, group["drop"].fillna(0).median()))
    columns = ["scaling", "curves", "found", "percent", "low", "high", "median_drop"]
    return pd.DataFrame(rows, columns=columns), curves


def peaks_by_reach(errors: xr.DataArray, shapes: xr.Dataset, features: pd.Series,
                   learner: str) -> pd.DataFrame:
    """Count a learner's peaks where a curve passes as many rows as features, and elsewhere.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    shapes : xarray.Dataset, dims (dataset, learner)
        Of the same curves, from `analysis.detect_shapes`.
    features : pandas.Series
        Number of features (after one-hot encoding) by dataset; datasets without are left out.
    learner : str
        Whose peaks are counted.

    Returns
    -------
    pandas.DataFrame
        ``margin`` (of `MARGINS`), ``inside`` (bool: the number of features lies between the first
        and the last anchor, so many at either end left out), ``curves``, ``peaks``, ``percent``
        with its 95 % interval ``low`` to ``high`` over families of datasets; no row without
        curves.
    """
    there = errors.sel(learner=learner).notnull().any(["outer", "inner"])
    table = pd.DataFrame({"peaking": shapes["peaking"].sel(learner=learner).to_series()})
    table = table.join(features.rename("features"))[there.any("anchor").values].dropna()
    there = there.sel(dataset=table.index.values)
    below = (there & (there["anchor"] <= table["features"].to_xarray())).sum("anchor").values
    above = (there & (there["anchor"] >= table["features"].to_xarray())).sum("anchor").values
    rows = []
    for margin in MARGINS:
        inside = np.minimum(below, above) > margin
        for where in (True, False):
            peaks = 100 * table.loc[inside == where, "peaking"].astype(float)
            if peaks.empty:
                continue
            rows.append((margin, where, len(peaks), int(peaks.sum() / 100), peaks.mean(),
                         *share_interval(peaks, peaks.index)))
    return pd.DataFrame(rows, columns=["margin", "inside", "curves", "peaks", "percent", "low",
                                       "high"])
