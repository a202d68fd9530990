"""Figures of what the grid of anchors, and the rest, does to the share of ill-behaved curves."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.style import PALETTE


def draw_decomposition(table: pd.DataFrame, start: float) -> Figure:
    """Draw the steps from one database's share to the other's, each where the last one ended.

    Parameters
    ----------
    table : DataFrame
        From `analysis.missed.decomposition.decomposition`.
    start : float
        The share that the steps start from, in percent.
    """
    ends = start + table["change"].cumsum()
    places = np.arange(1, len(table) + 1)
    figure, ax = plt.subplots(figsize=(8, 0.48 * len(table) + 1.6))
    ax.barh([0, len(table) + 1], [start, ends.iloc[-1]], color="#999999")
    colours = np.where(table["change"] > 0, PALETTE[1], PALETTE[0])
    ax.barh(places, table["change"], left=ends - table["change"], color=colours)
    ax.hlines(places, ends - table["change"] + table["low"], ends - table["change"] + table["high"],
              color="black", lw=1)
    ax.set_yticks(range(len(table) + 2), [
        "LCDB 1.0, printed", *(fill(step, 34) for step in table["step"]), "LCDB 1.1, printed"],
                  fontsize="small")
    for place, change, end in zip(places, table["change"], ends, strict=True):
        ax.annotate(f"{change:+.1f}", (max(end, end - change), place), xytext=(22, 0),
                    textcoords="offset points", va="center", fontsize="small")
    ax.invert_yaxis()
    ax.set(xlabel="ill-behaved curves [%]", xlim=(0, None))
    plt.close(figure)
    return figure


def draw_grid_effect(table: pd.DataFrame) -> Figure:
    """Draw each learner's share of ill-behaved curves on both grids.

    Parameters
    ----------
    table : DataFrame
        From `analysis.missed.decomposition.grid_by_learner`.
    """
    rows = table.assign(more=table["dense"] - table["sparse"]).sort_values("more")
    figure, ax = plt.subplots(figsize=(7, 0.24 * len(rows) + 1.2))
    ax.hlines(rows["learner"], rows["sparse"], rows["dense"], color="0.7", lw=2, zorder=1)
    for name, label, marker, colour in (
            ("lcdb10", "LCDB 1.0", "d", "black"), ("sparse", "LCDB 1.1, one anchor in four", "o",
                                                   PALETTE[0]),
            ("dense", "LCDB 1.1, all anchors", "s", PALETTE[1])):
        ax.plot(rows[name], rows["learner"], marker, color=colour, ms=4, label=label)
    ax.set(xlabel="ill-behaved curves [%]", xlim=(-1, None))
    ax.tick_params(axis="y", labelsize="small")
    ax.legend(fontsize="small", loc="lower right")
    plt.close(figure)
    return figure
