"""Dots with intervals in named rows, one colour a scaling."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.drawing.style import SCALING_COLOURS

OFFSETS = {"none": -0.27, "minmax": 0.0, "standard": 0.27}
MARKERS = {"none": "o", "minmax": "s", "standard": "^"}


def draw_dots(ax: Axes, rows: pd.DataFrame, value: str, scaling: str) -> None:
    """Draw a dot with its interval per row of `rows`, a little off where other scalings are."""
    at = np.arange(len(rows)) + OFFSETS[scaling]
    ends = np.array([rows[value] - rows["low"], rows["high"] - rows[value]])
    ax.errorbar(rows[value], at, xerr=np.maximum(ends, 0), fmt=MARKERS[scaling], ms=3.5, lw=0.9,
                color=SCALING_COLOURS[scaling], label=scaling)


def name_rows(ax: Axes, order: list[str]) -> None:
    """Name the rows, and shade every second one, so that dots are read in their row."""
    ax.set_yticks(range(len(order)), order, fontsize="small")
    for k in range(0, len(order), 2):
        ax.axhspan(k - 0.5, k + 0.5, color="0.95", zorder=-1, lw=0)
    ax.set_ylim(-0.6, len(order) - 0.4)


def add_legend(figure: Figure, ax: Axes) -> None:
    """Name the colours above the panels, and close the figure."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    plt.close(figure)
