"""The members' weights: whether they drift with the training rows, over how many they spread."""

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import adjusted_p


def weight_curves(weights: pd.DataFrame, ensemble: str) -> pd.DataFrame:
    """Return an ensemble's mean weights over datasets, at the anchors that all of them have.

    Parameters
    ----------
    weights : pandas.DataFrame
        From `analysis.ensemble_curves.shipped.open_weights`.
    ensemble : str

    Returns
    -------
    pandas.DataFrame, index anchor (rows), a column per member
        Rows add up to 1.
    """
    return _wide(weights, ensemble).groupby("anchor").mean()


def weight_drifts(weights: pd.DataFrame, ensemble: str) -> pd.DataFrame:
    """Return how much every member's weight changes with each doubling of the training rows.

    Returns
    -------
    pandas.DataFrame
        Columns member, first, last (mean weight at the first and the last common anchor), slope
        (per doubling: least squares over these anchors on each dataset, then the mean), low,
        high (95 % interval from resampling datasets), p (sign flips of datasets, adjusted for all
        members), rising (datasets on which it rises), datasets. Weights are in percent.
    """
    wide = 100 * _wide(weights, ensemble)
    slopes = wide.groupby("dataset").apply(_slopes)
    curves = wide.groupby("anchor").mean()
    low, high = ratio_of_sums_interval(slopes.to_numpy(), np.ones(len(slopes)), slopes.index)
    return pd.DataFrame({
        "member": slopes.columns, "first": curves.iloc[0].to_numpy(),
        "last": curves.iloc[-1].to_numpy(), "slope": slopes.mean().to_numpy(), "low": low,
        "high": high, "p": adjusted_p(slopes.to_numpy()),
        "rising": (slopes > 0).sum().to_numpy(), "datasets": len(slopes)})


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


def _wide(weights: pd.DataFrame, ensemble: str) -> pd.DataFrame:
    """Return weights by dataset and anchor, a column per member, at the common anchors."""
    own = weights[weights["ensemble"] == ensemble]
    wide = own.pivot_table(index=["dataset", "anchor"], columns="member", values="weight",
                           fill_value=0.0, observed=True)
    n = wide.groupby("anchor").size()
    return wide[wide.index.get_level_values("anchor").isin(n.index[n == n.max()])]


def _slopes(own: pd.DataFrame) -> pd.Series:
    doublings = np.log2(own.index.get_level_values("anchor").to_numpy(float))
    centred = doublings - doublings.mean()
    return pd.Series(centred @ own.to_numpy() / (centred @ centred), own.columns)
