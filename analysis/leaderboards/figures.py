"""Figures of orders: the rank of each method as a bar, and what ties change."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE

ROW = 0.24  # inches per method


@figure
def draw_order(ranks: pd.DataFrame, name: Callable[[str], str] = str,
               shown: int | None = None) -> Figure:
    """Draw the interval of each method's rank as a bar, its estimate as a dot, the best on top.

    Parameters
    ----------
    ranks : pandas.DataFrame
        `Order.ranks`.
    name : callable, optional
        A method's name in words.
    shown : int, optional
        How many methods, from the top; by default all.
    """
    rows = ranks.head(shown or len(ranks))
    chart, ax = plt.subplots(figsize=(7, 0.9 + ROW * len(rows)))
    at = range(len(rows))
    colours = [PALETTE[0] if first else PALETTE[7] for first in rows["may_be_first"]]
    ax.barh(at, rows["high"] - rows["low"] + 0.7, left=rows["low"] - 0.35, height=0.62,
            color=colours, alpha=0.55)
    ax.plot(rows["rank"], at, "o", color="black", ms=4)
    for k, row in enumerate(rows.itertuples()):
        if len(row.letters) <= 8:
            ax.annotate(row.letters, (row.high + 0.35, k), xytext=(4, 0), va="center",
                        textcoords="offset points", fontsize="small")
    ax.set_yticks(at, [name(m) for m in rows["method"]])
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, rows["high"].max() + 1.5),
           xlabel="rank (1: the best)")
    return chart


@figure
def draw_ties(ties: pd.DataFrame) -> Figure:
    """Draw the share of ties and of pairs told apart over the difference that counts as none.

    Parameters
    ----------
    ties : pandas.DataFrame
        From `analysis.leaderboards.influence.ties_that_matter`.
    """
    chart, ax = plt.subplots(figsize=(7, 3.2))
    for k, (column, label) in enumerate((("tied", "comparisons that are ties"),
                                         ("told_apart", "pairs told apart"))):
        within = ties[ties["kind"] != "rounded"]
        rounded = ties[ties["kind"] == "rounded"]
        ax.plot(within["width"], within[column], "o-", color=PALETTE[k], label=label)
        ax.plot(rounded["width"], rounded[column], "s", mfc="white", color=PALETTE[k],
                label=f"{label}, values rounded")
    ax.set_xscale("symlog", linthresh=0.001)
    ax.set(xlabel="difference that counts as a tie", ylim=(0, 1), xlim=(-0.0001, None))
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.legend(fontsize="small")
    return chart
