"""How far ensembles are from the best single learner, and what they cost.

By training rows and over whole curves; in seconds of training, and in validation rows.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import adjusted_p
from chapters.ensemble_curves.judged import common_means, judged_errors, member_names

EVERY = 4  # anchors: those tested, at half octaves


def half_octaves(errors: xr.DataArray) -> xr.DataArray:
    """Return `common_means` at half octaves."""
    return common_means(errors).isel(anchor=slice(None, None, EVERY))


def last_anchors(errors: xr.DataArray) -> xr.DataArray:
    """Return `common_means` at the largest anchor of each dataset."""
    return xr.concat([common_means(errors.isel(dataset=[k])).isel(anchor=-1, drop=True)
                      for k in range(errors.sizes["dataset"])], "dataset")


def advantages(mean: xr.DataArray, ensembles: Sequence[str],
               baselines: Sequence[str]) -> pd.DataFrame:
    """Return the difference in test error of ensembles to baselines.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner[, anchor])
        As `common_means`, at anchors or over them all.
    ensembles, baselines : sequence of str
        Learners of these.

    Returns
    -------
    pandas.DataFrame
        Columns ensemble, baseline, anchor (rows; 0 where there is none), difference, low, high
        (mean over datasets and its 95 % interval from resampling them, percentage points; below 0
        the ensemble is better), p (sign flips of datasets, adjusted for all rows of the table),
        better (datasets on which it is), datasets.
    """
    mean = mean if "anchor" in mean.dims else mean.expand_dims(anchor=[0])
    pairs = [(e, b) for b in baselines for e in ensembles if e != b]
    parts = [100 * (mean.sel(learner=e) - mean.sel(learner=b)).transpose("dataset", "anchor").values
             for e, b in pairs]
    differences = np.concatenate(parts, axis=1)
    low, high = ratio_of_sums_interval(differences, np.ones(len(differences)),
                                       mean["dataset"].values)
    places = pd.MultiIndex.from_tuples(
        [(*pair, int(anchor)) for pair in pairs for anchor in mean["anchor"].values],
        names=["ensemble", "baseline", "anchor"])
    return pd.DataFrame({
        "difference": differences.mean(axis=0), "low": low, "high": high,
        "p": adjusted_p(differences), "better": (differences < 0).sum(axis=0),
        "datasets": len(differences)}, places).reset_index()


ALL = "all"  # validation rows
LEAST = 5  # datasets


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
        low, high = np.exp(ratio_of_sums_interval(logs, np.ones(len(logs)), own["dataset"].values))
        rows.append({"learner": name, "seconds": float(own.median()),
                     "times": float(np.exp(logs.mean())), "low": float(low), "high": float(high),
                     "error": 100 * float(mean.sel(learner=name, anchor=anchor).mean()),
                     "anchor": anchor, "datasets": len(logs)})
    return pd.DataFrame(rows)


def cost_of_few(table: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    """Return by how much the test error is higher than when chosen on all validation rows.

    Parameters
    ----------
    table : pandas.DataFrame
        From `lab.ensemble_curves.open_few_rows`.
    rows : list of str
        Numbers of validation rows, or their names, that are compared with all.

    Returns
    -------
    pandas.DataFrame
        Columns way, rows, anchor, cost, low, high (percentage points: mean over the datasets that
        have both, 95 % interval from resampling them), p (sign flips of datasets, adjusted for all
        anchors of a way and number of rows; NaN with two datasets or fewer), datasets. Anchors with
        fewer than five datasets are left out.
    """
    wide = table.pivot_table(index=["way", "anchor", "dataset"], columns="rows",
                             values="error_rate")
    found = []
    for way in wide.index.get_level_values("way").unique():
        for asked in rows:
            cost = 100 * (wide.loc[way][asked] - wide.loc[way][ALL]).dropna()
            found.append(_by_anchor(cost.unstack("anchor")).assign(way=way, rows=asked))
    return pd.concat(found, ignore_index=True)[
        ["way", "rows", "anchor", "cost", "low", "high", "p", "datasets"]]


def _by_anchor(cost: pd.DataFrame) -> pd.DataFrame:
    """Summarise costs, a row per dataset and a column per anchor, NaN where there is none."""
    cost = cost.loc[:, cost.notna().sum() >= LEAST]
    there = cost.notna().to_numpy()
    low, high = ratio_of_sums_interval(cost.fillna(0).to_numpy(), there, cost.index)
    complete = cost.columns[there.all(axis=0)]
    p = pd.Series(np.nan, cost.columns)
    if len(complete):
        p[complete] = adjusted_p(cost[complete].to_numpy())
    return pd.DataFrame({"anchor": cost.columns.astype(int), "cost": cost.mean().to_numpy(),
                         "low": low, "high": high, "p": p.to_numpy(),
                         "datasets": there.sum(axis=0).astype(int)})
