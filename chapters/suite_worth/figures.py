"""Figures of the chapter on the worth of a suite."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import add_legend, draw_bands, figure
from analysis.drawing.style import PALETTE


@figure
def draw_stability(stability: pd.DataFrame) -> Figure:
    """Draw reliability and swaps against the number of tasks, a line per study.

    Parameters
    ----------
    stability : pandas.DataFrame
        From `chapters.suite_worth.stability.suite_stability`, of several sources.
    """
    drawn, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6))
    draw_bands(left, stability, "n_tasks", "reliability", by="source")
    swaps = stability[["source", "n_tasks"]].assign(value=100 * stability["swap_probability"])
    draw_bands(right, swaps, "n_tasks", by="source")
    left.set(ylabel="reliability (Spearman)", ylim=(-0.45, 1.02))
    right.set(ylabel="pairs in another order (%)", ylim=(0, None))
    for ax in (left, right):
        ax.set(xlabel="tasks in each of the two suites")
        ax.set_xticks([2, 5, 10, 20, 44, 98])
        ax.minorticks_off()
    add_legend(drawn, right, 2)
    return drawn


@figure
def draw_carriers(tasks: pd.DataFrame) -> Figure:
    """Draw how far each task's order is that of the others, sorted, a line per study.

    Parameters
    ----------
    tasks : pandas.DataFrame
        From `chapters.suite_worth.stability.carrying_tasks`, of several sources.
    """
    drawn, ax = plt.subplots()
    for (source, rows), colour in zip(tasks.groupby("source", sort=False), PALETTE, strict=False):
        values = np.sort(rows["agreement"])[::-1]
        ax.plot(np.arange(1, len(values) + 1) / len(values) * 100, values, color=colour,
                label=f"{source} ({len(values)} tasks)")
    ax.axhline(0, color="0.6", lw=0.8)
    ax.set(xlabel="tasks, the most typical first (%)",
           ylabel="agreement with all\nother tasks (Spearman)")
    ax.legend(fontsize="small")
    return drawn
