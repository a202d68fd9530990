"""Figures of who performs best: lowest errors, small against large datasets, naive Bayes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.blank import blank_figure
from analysis.drawing.dots import add_legend, draw_dots, name_rows
from analysis.drawing.style import PALETTE
from collection.container import SCALINGS


def draw_best_errors(means: pd.DataFrame) -> Figure:
    """Draw each learner's mean lowest error per scaling (Figure 7), on validation and test data.

    Parameters
    ----------
    means : pandas.DataFrame
        From `analysis.performance.performance.mean_best`.

    Returns
    -------
    matplotlib.figure.Figure
        Dots: test error with its interval; ticks: the validation error that was minimised.
    """
    order = means.groupby("learner")["test"].min().sort_values(ascending=False).index
    figure, ax = plt.subplots(figsize=(7, 0.32 * len(order) + 1.4))
    for k, scaling in enumerate(SCALINGS):
        rows = means[means["scaling"] == scaling].set_index("learner").reindex(order)
        if rows["test"].notna().any():
            draw_dots(ax, rows, "test", scaling)
            at = np.arange(len(rows)) + (k - 1) * 0.27
            ax.plot(rows["valid"], at, "|", color="#D55E00", ms=7,
                    label="validation (chosen)" if k == 0 else None)
    name_rows(ax, order)
    ax.set(xlabel="mean over datasets of the smallest mean error rate", xlim=(0, None))
    add_legend(figure, ax)
    return figure


def draw_size_groups(paired: pd.DataFrame, reference: str) -> Figure:
    """Draw the paired difference to a reference on small and on large datasets (Figure 8).

    Parameters
    ----------
    paired : pandas.DataFrame
        From `analysis.performance.performance.paired_with`, with a column ``size``; one scaling.
    reference : str
        The learner compared with.

    Returns
    -------
    matplotlib.figure.Figure
        In grey, the number of datasets.
    """
    if paired.empty:
        return blank_figure("There is no curve to compare.")
    order = paired.groupby("learner")["difference"].mean().sort_values(ascending=False).index
    sizes = [s for s in ("small", "large") if s in set(paired["size"])]
    figure, axes = plt.subplots(1, len(sizes), sharey=True, squeeze=False,
                                figsize=(1 + 3.8 * len(sizes), 0.27 * len(order) + 1.1))
    for ax, size in zip(axes[0], sizes, strict=True):
        rows = paired[paired["size"] == size].set_index("learner").reindex(order)
        ends = np.array([rows["difference"] - rows["low"], rows["high"] - rows["difference"]])
        ax.errorbar(rows["difference"], range(len(order)), xerr=np.maximum(ends, 0), fmt="o",
                    ms=3.5, lw=0.9, color=PALETTE[0])
        ax.axvline(0, color="black", lw=0.8, zorder=0)
        for k, n in enumerate(rows["n_datasets"].fillna(0)):
            ax.text(1.0, k, f"{n:.0f}", transform=ax.get_yaxis_transform(), color="0.35",
                    fontsize="x-small", va="center", ha="left")
        name_rows(ax, order)
        ax.set(title=f"{size} datasets")
    figure.supxlabel(f"test error minus that of {reference} [error rate]", fontsize="medium")
    plt.close(figure)
    return figure


def draw_win_tie_loss(contests: pd.DataFrame) -> Figure:
    """Draw how often mixed naive Bayes wins, ties and loses against plain (Figure 9).

    Parameters
    ----------
    contests : pandas.DataFrame
        From `analysis.performance.mixed_bayes.mixed_against_plain`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if contests.empty:
        return blank_figure("The database has no mixed naive Bayes learner.")
    names = contests["learner"] + ", " + contests["scaling"]
    figure, ax = plt.subplots(figsize=(7, 0.3 * len(names) + 1.2))
    left = np.zeros(len(names))
    for outcome, colour in (("win", "#009E73"), ("tie", "#BBBBBB"), ("loss", "#D55E00")):
        ax.barh(names, contests[outcome], left=left, color=colour, label=f"mixed: {outcome}")
        left += contests[outcome].to_numpy()
    ax.set(xlabel="% of anchors of all datasets", xlim=(0, 100))
    ax.invert_yaxis()
    ax.tick_params(axis="y", labelsize="small")
    add_legend(figure, ax)
    return figure
