"""Figures of who performs best: lowest errors, small against large datasets, naive Bayes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, blank_figure, draw_dots, figure
from analysis.drawing.style import SCALING_COLOURS
from collection.container import SCALINGS


@figure
def draw_best_errors(means: pd.DataFrame) -> Figure:
    """Draw each learner's mean lowest error per scaling (Figure 7), on validation and test data.

    Parameters
    ----------
    means : pandas.DataFrame
        From `chapters.performance.performance.mean_best`.

    Returns
    -------
    matplotlib.figure.Figure
        Dots: test error with its interval; ticks: the validation error that was minimised.
    """
    if not len(means):
        return blank_figure("No dataset has every scaling.")
    rows = means.assign(learner=means["learner"].map(learner_title))
    order = list(rows.groupby("learner")["test"].min().sort_values(kind="stable").index)
    figure, ax = plt.subplots(figsize=(8, 0.32 * len(order) + 1.4))
    there = [s for s in SCALINGS if s in set(rows["scaling"])]
    rows = rows.sort_values("scaling", key=lambda s: s.map(SCALINGS.index), kind="stable")
    words = {s: "test rows" if len(there) == 1 else f"test rows, scaling {s}" for s in there}
    draw_dots(ax, rows.assign(scaling=rows["scaling"].map(words)), "learner", "test", by="scaling",
              order=order, colours={words[s]: SCALING_COLOURS[s] for s in there})
    off = dict(zip(there, np.linspace(-0.25, 0.25, len(there)) if len(there) > 1 else [0.0],
                   strict=True))
    at = [order.index(r.learner) + off[r.scaling] for r in rows.itertuples()]
    ax.plot(rows["valid"], at, "|", color="#D55E00", ms=7,
            label="validation rows (what was minimised)")
    ax.set(xlabel="mean over datasets of the smallest mean error rate", xlim=(0, None))
    add_legend(figure, ax)
    return figure


@figure
def draw_size_groups(paired: pd.DataFrame, reference: str) -> Figure:
    """Draw the paired difference to a reference on small and on large datasets (Figure 8).

    Parameters
    ----------
    paired : pandas.DataFrame
        From `chapters.performance.performance.paired_with`, with a column ``size``; one scaling.
    reference : str
        The learner compared with.

    Returns
    -------
    matplotlib.figure.Figure
        In grey, the number of datasets.
    """
    if paired.empty:
        return blank_figure("There is no curve to compare.")
    table = paired.assign(learner=paired["learner"].map(learner_title))
    order = list(table.groupby("learner")["difference"].mean().sort_values(kind="stable").index)
    sizes = [s for s in ("small", "large") if s in set(table["size"])]
    figure, axes = plt.subplots(1, len(sizes), sharey=True, squeeze=False,
                                figsize=(2.5 + 3.8 * len(sizes), 0.27 * len(order) + 1.1))
    for ax, size in zip(axes[0], sizes, strict=True):
        rows = table[table["size"] == size]
        draw_dots(ax, rows, "learner", "difference", order=order, reference=0)
        for r in rows.itertuples():
            ax.text(1.0, order.index(r.learner), f"{r.n_datasets:.0f}", ha="left", va="center",
                    transform=ax.get_yaxis_transform(), color="0.35", fontsize="x-small")
        ax.set(title=f"{size} datasets")
    figure.supxlabel(f"test error minus that of {learner_title(reference)} [error rate]",
                     fontsize="medium")
    return figure


@figure
def draw_win_tie_loss(contests: pd.DataFrame) -> Figure:
    """Draw how often mixed naive Bayes wins, ties and loses against plain (Figure 9).

    Parameters
    ----------
    contests : pandas.DataFrame
        From `chapters.performance.mixed_bayes.mixed_against_plain`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if contests.empty:
        return blank_figure("The database has no mixed naive Bayes learner.")
    names = contests["learner"].map(learner_title) + ", " + contests["scaling"]
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
