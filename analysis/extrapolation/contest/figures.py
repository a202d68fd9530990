"""Figures of the contest: who is how far off, how well intervals cover, and single forecasts."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.ticker import PercentFormatter

from analysis.drawing.style import PALETTE
from analysis.extrapolation.contest.scores import INTERVALS

KIND_COLOURS = {"formula": PALETTE[0], "learned": PALETTE[1]}


def draw_ranking(table: pd.DataFrame, kinds: dict[str, str]) -> plt.Figure:
    """Draw mean absolute error and CRPS of every extrapolator, the best on top.

    Parameters
    ----------
    table : DataFrame
        ``extrapolator``, ``mean_points``, ``crps``; a row each.
    kinds : dict
        Extrapolator → kind, of `KIND_COLOURS`.
    """
    table = table.sort_values("mean_points", ascending=False)
    fig, ax = plt.subplots(figsize=(7, 0.24 * len(table) + 1))
    place = np.arange(len(table))
    colours = [KIND_COLOURS[kinds[n]] for n in table["extrapolator"]]
    ax.hlines(place, 0, table["mean_points"], color=colours, alpha=0.4)
    ax.scatter(table["mean_points"], place, color=colours, zorder=3)
    ax.scatter(table["crps"], place, color=colours, marker="|", s=80, zorder=3)
    ax.set_yticks(place, table["extrapolator"])
    ax.set(xlabel="points of error rate (dot: mean absolute error, bar: CRPS)", xlim=(0, None))
    for kind, colour in KIND_COLOURS.items():
        ax.scatter([], [], color=colour, label=kind)
    ax.legend(loc="center right")
    plt.close(fig)
    return fig


def draw_horizons(table: pd.DataFrame, chosen: list[str]) -> plt.Figure:
    """Draw the mean absolute error by horizon.

    Parameters
    ----------
    table : DataFrame
        Contest rows with ``horizon`` other than "all".
    chosen : list of str
        Extrapolators, at most as many as the palette has colours.
    """
    fig, ax = plt.subplots()
    horizons = sorted(table["horizon"].unique(), key=lambda h: (h[:4] == "over", h[:2] != "up", h))
    for colour, name in zip(PALETTE, chosen, strict=False):
        part = table[table["extrapolator"] == name].set_index("horizon").reindex(horizons)
        ax.plot(range(len(horizons)), part["mean_points"], marker="o", color=colour, label=name)
    ax.set_xticks(range(len(horizons)), [h.replace(" doublings", "") for h in horizons])
    ax.set(xlabel="doublings from the last size seen to the last one there is",
           ylabel="mean absolute error (points)", ylim=(0, None))
    ax.legend(ncols=2)
    plt.close(fig)
    return fig


def draw_coverage(table: pd.DataFrame) -> plt.Figure:
    """Draw how often intervals cover, by group of curves, beside what they promise.

    Parameters
    ----------
    table : DataFrame
        Contest rows of one extrapolator: ``group``, ``n_curves``, ``coverage50`` ….
    """
    fig, ax = plt.subplots(figsize=(7, 0.32 * len(table) + 1))
    place = np.arange(len(table))[::-1]
    for colour, marker, percent in zip(PALETTE, "os^", INTERVALS, strict=False):
        ax.axvline(percent / 100, color=colour, alpha=0.4, linestyle="--")
        ax.scatter(table[f"coverage{percent}"], place, color=colour, marker=marker,
                   label=f"{percent} % interval")
    groups = table["group"].str.replace("_", "-")
    ax.set_yticks(place, groups + " (" + table["n_curves"].map("{:,}".format) + ")")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set(xlabel="curves whose last error lies in the interval", xlim=(0.2, 1.01))
    fig.legend(loc="outside upper right", ncols=len(INTERVALS))
    plt.close(fig)
    return fig


def draw_forecast(curve: xr.DataArray, forecast: xr.DataArray, ax: plt.Axes,
                  whole: xr.DataArray | None = None) -> None:
    """Draw one curve as far as it is seen, the forecast with its intervals, and what came.

    Parameters
    ----------
    curve : DataArray, dims (anchor)
        Error rates that were seen; NaN elsewhere.
    forecast : DataArray, dims (size, quantile)
        With the quantiles 0.05, 0.25, 0.5, 0.75 and 0.95.
    ax : Axes
    whole : DataArray, dims (anchor), optional
        The curve with what came later.
    """
    colour = PALETTE[1]
    for low, high, alpha in ((0.05, 0.95, 0.2), (0.25, 0.75, 0.35)):
        ax.fill_between(forecast["size"], forecast.sel(quantile=low), forecast.sel(quantile=high),
                        color=colour, alpha=alpha, linewidth=0)
    ax.plot(forecast["size"], forecast.sel(quantile=0.5), color=colour)
    if whole is not None:
        later = whole.where(curve.isnull()).dropna("anchor")
        ax.plot(later["anchor"], later, "o", color="black", markerfacecolor="none", markersize=4)
    seen = curve.dropna("anchor")
    ax.plot(seen["anchor"], seen, "o-", color="black", markersize=4)
    ax.set(xscale="log", xlabel="training-set size (rows)", ylabel="error rate", ylim=(0, None))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.minorticks_off()
