"""Figures of the chapter *Shapes up close*."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.charts import add_legend, figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SCALING_COLOURS
from analysis.shapes.causes import last_batches, spread_over_repeats


@figure
def draw_batch_sizes(curves: Mapping[int, xr.DataArray]) -> Figure:
    """Draw one learner's curve by batch size, and mark anchors whose last mini-batch is small.

    Parameters
    ----------
    curves : mapping of batch size (rows) to xarray.DataArray, dims (outer, inner, anchor)
        Error rates.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = plt.subplots(1, len(curves), sharey=True, figsize=(3.1 * len(curves), 3))
    for ax, (batch, curve) in zip(np.atleast_1d(axes), curves.items(), strict=True):
        plot_curve(curve, ax)
        marks = last_batches(curve["anchor"].values, (batch,)).query("small")["anchor"]
        for anchor in marks:
            ax.axvline(anchor, color="#D55E00", ls=":", lw=1.5, zorder=0)
        ax.set_title(f"mini-batches of {batch} rows", fontsize="medium")
        ax.set_ylabel("error rate" if ax is np.atleast_1d(axes)[0] else "")
    return figure


@figure
def draw_spread(errors: xr.DataArray, learner: str) -> Figure:
    """Draw the distribution of the spread over repeats, by scaling (Figure 13b).

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    learner : str
        Which one.

    Returns
    -------
    matplotlib.figure.Figure
    """
    spread = spread_over_repeats(errors.sel(learner=learner))
    figure, ax = plt.subplots()
    bins = np.linspace(0, float(spread.max()), 40)
    for scaling in spread["scaling"].values:
        values = spread.sel(scaling=scaling).values.ravel()
        ax.hist(values[~np.isnan(values)], bins, histtype="step", lw=2, label=scaling,
                color=SCALING_COLOURS[scaling])
    ax.set(xlabel="standard deviation over the repeats [error rate]", ylabel="anchors",
           title=learner_title(learner))
    ax.legend(title="scaling")
    return figure


@figure
def draw_peaks_against_features(table: pd.DataFrame, learners: tuple[str, ...]) -> Figure:
    """Draw the place of each peak against the dataset's number of features (Figure 14a).

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.shapes.causes.peaks_against_features`.
    learners : tuple of str
        A panel each.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = plt.subplots(1, len(learners), sharex=True, sharey=True,
                                figsize=(3 * len(learners), 3))
    for ax, learner in zip(np.atleast_1d(axes), learners, strict=True):
        rows = table[table["learner"] == learner]
        ends = [table["features"].min(), table["features"].max()]
        ax.plot(ends, ends, color="0.6", ls="--", zorder=0)
        ax.plot(rows["features"], rows["peak"], "o", ms=4, alpha=0.7)
        ax.set(xscale="log", yscale="log", xlabel="number of features")
        ax.set_title(learner_title(learner), fontsize="small")
    np.atleast_1d(axes)[0].set_ylabel("training-set size at the peak")
    return figure


@figure
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
        ax.set_title(dataset_title(dataset), fontsize="medium")
    add_legend(figure, np.atleast_1d(axes)[0], 3)
    return figure
