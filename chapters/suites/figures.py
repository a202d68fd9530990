"""Figures of the chapter on benchmark suites."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE


@figure
def draw_scores(scores: pd.DataFrame) -> Figure:
    """Draw the errors of all methods on every task, the tasks sorted by their median (Figure 3).

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``task, method, fold, error``.
    """
    means = scores.groupby(["task", "method"])["error"].mean().unstack()
    means = means.loc[means.median(axis=1).sort_values(kind="stable").index]
    drawn, ax = plt.subplots(figsize=(7, 0.24 * len(means) + 0.9))
    at = np.arange(len(means))
    for method in means:
        ax.plot(100 * means[method], at, "o", ms=4, color=PALETTE[0], alpha=0.5)
    ax.plot(100 * means.median(axis=1), at, "|", ms=11, mew=2, color=PALETTE[1])
    ax.set_yticks(at, means.index, fontsize="small")
    ax.set(xlabel="error rate (%)", xlim=(0, None))
    return drawn
