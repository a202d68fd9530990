"""What ensembles cost beside what they bring: seconds of training, members kept."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.ensemble_curves.judged import common_means, judged_errors, member_names
from analysis.intervals.bootstrap import ratio_of_sums_interval


def training_costs(curves: xr.Dataset, learners: Sequence[str]) -> pd.DataFrame:
    """Return what it took to train at the largest anchor that every dataset has.

    Parameters
    ----------
    curves : xarray.Dataset
        A database of ensembles.
    learners : sequence of str
        Ensembles.

    Returns
    -------
    pandas.DataFrame
        Columns learner, seconds (all that could be chosen, median over the datasets), times (as
        much as the median member there: geometric mean over datasets, low and high its 95 %
        interval), error (mean test error rate, percent), anchor, datasets. Seconds are of the
        machine they were gathered on; ratios travel better.
    """
    mean = common_means(judged_errors(curves))
    anchor = int(mean["anchor"].values[-1])
    seconds = curves["train_time"].isel(scaling=0, leakage=0).sel(anchor=anchor).mean(
        ["outer", "inner"]).load()
    typical = seconds.sel(learner=member_names(curves["learner"].values)).median("learner")
    rows = []
    for name in learners:
        own = seconds.sel(learner=name)
        logs = np.log((own / typical).values)
        low, high = np.exp(ratio_of_sums_interval(logs, np.ones(len(logs))))
        rows.append({"learner": name, "seconds": float(own.median()),
                     "times": float(np.exp(logs.mean())), "low": float(low), "high": float(high),
                     "error": 100 * float(mean.sel(learner=name, anchor=anchor).mean()),
                     "anchor": anchor, "datasets": len(logs)})
    return pd.DataFrame(rows)


def members_kept(weights: pd.DataFrame) -> pd.DataFrame:
    """Return the effective number of members of every ensemble, by training rows.

    Parameters
    ----------
    weights : pandas.DataFrame
        Mean weights, from `analysis.ensemble_curves.shipped.open_weights`.

    Returns
    -------
    pandas.DataFrame
        Columns ensemble, anchor, members: 1 / Σ w² of the mean weights, the mean over datasets.
    """
    square = weights.assign(square=weights["weight"] ** 2)
    effective = 1 / square.groupby(["ensemble", "anchor", "dataset"])["square"].sum()
    return effective.groupby(["ensemble", "anchor"]).mean().rename("members").reset_index()
