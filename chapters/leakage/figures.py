"""Figures of what leakage changes: how often, how much, and where along the curve."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.charts import blank_figure, figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SCALING_COLOURS

NOTHING = "No curve was gathered both with and without leakage."


@figure
def draw_difference_sizes(table: pd.DataFrame) -> Figure:
    """Draw, per scaling, the share of curves whose largest difference is at least so large.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.leakage.leakage.difference_table`.

    Returns
    -------
    matplotlib.figure.Figure
        Full lines: all curves; dashed: those that the test calls different.
    """
    if table.empty:
        return blank_figure(NOTHING)
    figure, ax = plt.subplots()
    for scaling, group in table.groupby("scaling", sort=False):
        for rows, style, label in ((group, "-", scaling),
                                   (group[group["different"] == 1], "--", None)):
            size = np.sort(rows["largest"].to_numpy())[::-1]
            share = 100 * np.arange(1, len(size) + 1) / len(group)
            ax.step(size, share, style, where="post", label=label, color=SCALING_COLOURS[scaling])
    ax.set(xlabel="largest difference along the curve [points of error rate]",
           ylabel="% of curves", ylim=(0, 102), xlim=(0, None))
    ax.legend(title="scaling")
    return figure


@figure
def draw_differences_by_size(by_size: pd.DataFrame) -> Figure:
    """Draw the difference against the training-set size: its size, and its direction.

    Parameters
    ----------
    by_size : pandas.DataFrame
        From `chapters.leakage.leakage.differences_by_size`.

    Returns
    -------
    matplotlib.figure.Figure
        Bands: 95 % intervals over resampled datasets.
    """
    if by_size.empty:
        return blank_figure(NOTHING)
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4))
    for scaling, rows in by_size.groupby("scaling", sort=False):
        colour = SCALING_COLOURS[scaling]
        axes[0].plot(rows["anchor"], rows["typical"], ".-", color=colour, label=scaling)
        axes[1].plot(rows["anchor"], rows["change"], ".-", color=colour)
        axes[1].fill_between(rows["anchor"], rows["low"], rows["high"], color=colour, alpha=0.25,
                             lw=0)
    axes[1].axhline(0, color="black", lw=0.8)
    axes[0].set(ylabel="mean absolute difference\n[points]", ylim=(0, None))
    axes[1].set(ylabel="mean difference,\nwith minus without [points]")
    for ax in axes:
        ax.set(xlabel="training-set size", xscale="log")
        ax.set_xticks(_ticks(by_size["anchor"]), minor=False)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.xaxis.set_minor_formatter("")
    axes[0].legend(title="scaling")
    return figure


@figure
def draw_leaking_curves(valid: xr.DataArray, table: pd.DataFrame, rows: int = 2) -> Figure:
    """Draw the curves that differ most, with and without leakage, at most one per learner.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, leakage, outer, inner, anchor)
        Error rates.
    table : pandas.DataFrame
        From `chapters.leakage.leakage.difference_table`.
    rows : int
        Of two panels each.

    Returns
    -------
    matplotlib.figure.Figure
    """
    chosen = table[table["different"] == 1].sort_values("largest", ascending=False, kind="stable")
    chosen = chosen.drop_duplicates("learner").head(2 * rows)
    if chosen.empty:
        return blank_figure("No curve is significantly different with leakage.")
    figure, axes = plt.subplots(-(-len(chosen) // 2), 2, squeeze=False,
                                figsize=(8, 2.6 * -(-len(chosen) // 2)))
    for ax in axes.flat[len(chosen):]:
        ax.set_visible(False)
    for ax, row in zip(axes.flat, chosen.itertuples(), strict=False):
        curves = valid.sel(dataset=row.dataset, learner=row.learner, scaling=row.scaling)
        for leakage in ("no", "yes"):
            plot_curve(curves.sel(leakage=leakage).dropna("anchor", how="all"), ax,
                       label=f"leakage: {leakage}")
        ax.set_title(f"{learner_title(row.learner)} ({row.scaling})\n"
                     f"on {dataset_title(row.dataset)}", fontsize="small")
        ax.legend(fontsize="small")
    return figure


def _ticks(anchors: pd.Series) -> list[int]:
    """Return doublings of 16 within reach, at most six: a plain scale for a logarithmic axis."""
    doublings = int(np.log2(anchors.max() / 16))
    return [16 * 2**k for k in range(0, doublings + 1, doublings // 6 + 1)]
