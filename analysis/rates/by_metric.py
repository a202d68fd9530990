"""Shapes of curves in other metrics than the error rate, on the same fits."""

import pandas as pd
import xarray as xr

from analysis.databases.counted import NOT_COUNTED
from analysis.intervals.bootstrap import exact_ends, mean_interval
from analysis.shapes import detect_shapes

#: Each metric as a loss, of which less is better.
LOSSES = {"error rate": lambda c: c["error_rate"], "1 − F1": lambda c: 1 - c["f1"],
          "1 − AUC": lambda c: 1 - c["auc"], "log-loss": lambda c: c["log_loss"]}
JUDGED = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")


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
            low, high = exact_ends(has.mean(), *mean_interval(has, datasets), datasets.nunique())
            rows.append((name, verdict, len(has), datasets.nunique(), has.mean(), float(low),
                         float(high)))
    return pd.DataFrame(rows, columns=["metric", "verdict", "curves", "datasets", "percent", "low",
                                       "high"])
