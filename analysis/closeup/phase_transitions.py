"""Phase transitions of a learner under each feature scaling (Figure 10)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import binomtest

from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SCALING_COLOURS
from analysis.shapes.transitions import detect_transitions


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


def draw_largest_drops(errors: xr.DataArray, curves: pd.DataFrame, count: int = 3) -> Figure:
    """Draw the datasets with the largest drops without scaling, under each scaling.

    Parameters
    ----------
    errors : xarray.DataArray
        As for `transitions_by_scaling`.
    curves : pandas.DataFrame
        What it returned.
    count : int
        Datasets.

    Returns
    -------
    matplotlib.figure.Figure
    """
    drops = curves[curves["scaling"] == "none"].set_index("dataset")["drop"]
    datasets = drops.nlargest(count).index
    figure, axes = plt.subplots(1, max(len(datasets), 1), figsize=(3.1 * max(len(datasets), 1), 3))
    for ax, dataset in zip(np.atleast_1d(axes), datasets, strict=False):
        for scaling in errors["scaling"].values.tolist():
            curve = errors.sel(dataset=dataset, scaling=scaling).dropna("anchor", how="all")
            ax.set_prop_cycle(color=[SCALING_COLOURS[scaling]])
            plot_curve(curve, ax)
            ax.lines[-1].set_label(scaling)
        ax.set_title(str(dataset), fontsize="medium")
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    plt.close(figure)
    return figure
