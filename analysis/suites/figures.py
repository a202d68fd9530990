"""Figures of the chapters on suites."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.style import PALETTE
from analysis.intervals.critical_difference import plot_critical_difference
from collection.suites.criteria import CRITERIA, ONE_HOT_LIMIT, ROWS

DECIDED = {"kept": "in CC-18", "manual": "kept out otherwise", "a": "rows (a)",
           "b": "features (b)", "c": "smallest class (c)", "d": "class ratio (d)",
           "unknown": "a quality is not known"}


def draw_criteria(criteria: pd.DataFrame, qualities: pd.DataFrame) -> Figure:
    """Draw each dataset by its rows and features, coloured by what decided.

    Parameters
    ----------
    criteria : pandas.DataFrame
        From `analysis.suites.cc18.cc18_criteria`.
    qualities : pandas.DataFrame
        Of the same datasets, in the same order, from `qualities_from_openml`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots(figsize=(7, 4.2))
    markers = dict(zip(DECIDED, "o.svD^x", strict=True))
    for (decided, label), colour in zip(DECIDED.items(), PALETTE, strict=False):
        rows = qualities[(criteria["decided_by"] == decided).to_numpy()]
        ax.scatter(rows["rows"], rows["features_after_one_hot"], s=22, marker=markers[decided],
                   color=colour, label=f"{label}: {len(rows)}", linewidths=0.8,
                   alpha=0.9 if decided != "manual" else 0.6)
    for bound in ROWS:
        ax.axvline(bound, color="0.6", lw=0.8, ls="--")
    ax.axhline(ONE_HOT_LIMIT, color="0.6", lw=0.8, ls="--")
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="features after one-hot encoding")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    plt.close(figure)
    return figure


def draw_rank_shifts(effect: pd.DataFrame) -> Figure:
    """Draw how mean ranks move when near-duplicates count as one.

    Parameters
    ----------
    effect : pandas.DataFrame
        From `analysis.suites.cc18.near_duplicate_effect`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots(figsize=(7, 0.24 * len(effect) + 1))
    at = np.arange(len(effect))[::-1]
    ax.hlines(at, effect["each"], effect["grouped"], color="0.6", lw=1.5)
    ax.plot(effect["each"], at, "o", color=PALETTE[0], label="each dataset counts one")
    ax.plot(effect["grouped"], at, "D", ms=5, color=PALETTE[1],
            label="near-duplicates count as one")
    ax.set_yticks(at, effect["method"], fontsize="small")
    ax.set(xlabel="mean rank (1 is best)")
    ax.legend(fontsize="small", loc="lower left")
    plt.close(figure)
    return figure


def draw_stability(stability: pd.DataFrame) -> Figure:
    """Draw reliability and swaps against the number of tasks, a line per study.

    Parameters
    ----------
    stability : pandas.DataFrame
        From `analysis.suites.stability.suite_stability`, of several sources.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4))
    styles = zip(stability.groupby("source", sort=False), PALETTE, "osD^v", strict=False)
    for (source, rows), colour, marker in styles:
        left.fill_between(rows["n_tasks"], rows["low"], rows["high"], color=colour, alpha=0.15,
                          linewidth=0)
        left.plot(rows["n_tasks"], rows["reliability"], marker + "-", ms=4, color=colour)
        right.plot(rows["n_tasks"], 100 * rows["swap_probability"], marker + "-", ms=4,
                   color=colour, label=source)
    left.set(ylabel="reliability (Spearman)", ylim=(-0.45, 1.02))
    right.set(ylabel="pairs in another order (%)", ylim=(0, None))
    for ax in (left, right):
        ax.set(xscale="log", xlabel="tasks in each of the two suites")
        ax.set_xticks([2, 5, 10, 20, 44, 72], ["2", "5", "10", "20", "44", "72"])
        ax.minorticks_off()
    right.legend(fontsize="small")
    plt.close(figure)
    return figure


def draw_carriers(tasks: pd.DataFrame) -> Figure:
    """Draw how far each task's order is that of the others, sorted, a line per study.

    Parameters
    ----------
    tasks : pandas.DataFrame
        From `analysis.suites.stability.carrying_tasks`, of several sources.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots()
    for (source, rows), colour in zip(tasks.groupby("source", sort=False), PALETTE, strict=False):
        values = np.sort(rows["agreement"])[::-1]
        ax.plot(np.arange(1, len(values) + 1) / len(values) * 100, values, color=colour,
                label=f"{source} ({len(values)} tasks)")
    ax.axhline(0, color="0.6", lw=0.8)
    ax.set(xlabel="tasks, the most typical first (%)",
           ylabel="agreement with all\nother tasks (Spearman)")
    ax.legend(fontsize="small")
    plt.close(figure)
    return figure


def criteria_table() -> pd.DataFrame:
    """Return the criteria as a table: ``letter``, ``requires``, ``checked by``."""
    return pd.DataFrame([(c.letter, c.requires, "its qualities" if c.by_qualities else
                          "its rows" if c.by_data else "a person") for c in CRITERIA.values()],
                        columns=["criterion", "requires", "checked by"])


def draw_scores(scores: pd.DataFrame) -> Figure:
    """Draw the errors of all methods on every task, the tasks sorted by their median (Figure 3).

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``task, method, fold, error``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    means = scores.groupby(["task", "method"])["error"].mean().unstack()
    means = means.loc[means.median(axis=1).sort_values().index]
    figure, ax = plt.subplots(figsize=(7, 0.24 * len(means) + 0.9))
    at = np.arange(len(means))
    for method in means:
        ax.plot(100 * means[method], at, "o", ms=4, color=PALETTE[0], alpha=0.5)
    ax.plot(100 * means.median(axis=1), at, "|", ms=11, mew=2, color=PALETTE[1])
    ax.set_yticks(at, means.index, fontsize="small")
    ax.set(xlabel="error rate (%)", xlim=(0, None))
    plt.close(figure)
    return figure


def draw_rank_bars(result: tuple) -> Figure:
    """Draw the critical-difference diagram of what `critical_differences` returned."""
    figure, ax = plt.subplots(figsize=(9, 3.6))
    plot_critical_difference(result, ax)
    plt.close(figure)
    return figure
