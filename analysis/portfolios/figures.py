"""Figures of portfolios: what budgets, configs, datasets, sizes and members bring."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.blank import blank_figure
from analysis.drawing.style import PALETTE
from analysis.intervals.critical_difference import plot_critical_difference
from analysis.intervals.headlines import LEAST
from analysis.leaderboards import critical_differences

MARKS = "osD^vPX*"


def draw_budgets(table: pd.DataFrame, methods: Sequence[str]) -> Figure:
    """Draw normalised error against the budget of training time, a line per method.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``method, budget`` (s; infinite: none), ``normalized_error, low, high``.
    methods : sequence of str
        In the order of the legend.
    """
    figure, ax = plt.subplots(figsize=(7.5, 4.2))
    finite = table.loc[np.isfinite(table["budget"]), "budget"]
    beyond = finite.max() * 4
    for k, method in enumerate(methods):
        part = table[table["method"] == method].sort_values("budget")
        budget = part["budget"].replace(np.inf, beyond)
        ax.plot(budget, part["normalized_error"], marker=MARKS[k % len(MARKS)], markersize=5,
                color=PALETTE[k % len(PALETTE)], label=method)
        ax.fill_between(budget, part["low"], part["high"], color=PALETTE[k % len(PALETTE)],
                        alpha=0.1, linewidth=0)
    ticks = sorted(finite.unique())
    ax.set(xscale="log", xlabel="budget of training time [s]", ylabel="normalised error")
    ax.set_xticks([*ticks, beyond], [*(f"{tick:g}" for tick in ticks), "no limit"])
    ax.minorticks_off()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2,
                  fontsize="small")
    plt.close(figure)
    return figure


def draw_differences(results: pd.DataFrame) -> Figure:
    """Draw a critical-difference diagram; of fewer than five datasets, say that there is none.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``method, task, fold, error``.
    """
    methods, tasks = results["method"].nunique(), results["task"].nunique()
    if tasks < LEAST or methods < 3:
        return blank_figure(f"No test of {methods} methods on {tasks} datasets: it takes 3 and "
                            f"{LEAST}.")
    figure, ax = plt.subplots(figsize=(8, 1 + 0.25 * methods), layout="none")
    plot_critical_difference(critical_differences(results), ax)
    plt.close(figure)
    return figure


def draw_variations(panels: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the normalised error against what is varied, a panel each, with intervals.

    Parameters
    ----------
    panels : mapping of str to pandas.DataFrame
        By the label of the axis: columns ``value, normalized_error, low, high``.
    """
    figure, axes = plt.subplots(2, 2, figsize=(8.5, 6), sharey=True)
    for ax, letter, (label, table) in zip(axes.flat, "abcd", panels.items(), strict=True):
        spread = np.abs(table[["low", "high"]].T.to_numpy()
                        - table["normalized_error"].to_numpy())
        ax.errorbar(table["value"], table["normalized_error"], yerr=spread, fmt="o-",
                    color=PALETTE[0], ecolor="#999999", markersize=5)
        ax.set(xlabel=label, title=f"({letter})")
        ax.xaxis.get_major_locator().set_params(integer=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("normalised error")
    plt.close(figure)
    return figure


def draw_composition(shares: pd.DataFrame, families: Sequence[str]) -> Figure:
    """Draw which families stand at each position of portfolios, and among the first so many.

    Parameters
    ----------
    shares : pandas.DataFrame
        From `analysis.portfolios.family_shares`.
    families : sequence of str
        In the order of the legend.
    """
    figure, axes = plt.subplots(2, 1, figsize=(7.5, 6), sharex=True)
    for ax, column, label in ((axes[0], "share", "share at the position"),
                              (axes[1], "cumulative", "share up to the position")):
        wide = shares.pivot(index="position", columns="family", values=column)[list(families)]
        bottom = np.zeros(len(wide))
        for k, family in enumerate(families):
            ax.bar(wide.index, wide[family], bottom=bottom, width=0.9,
                   color=PALETTE[k % len(PALETTE)], edgecolor="white", linewidth=0.4,
                   hatch="" if k < 4 else "////", label=family)
            bottom += wide[family].to_numpy()
        ax.set(ylabel=label, ylim=(0, 1))
    axes[1].set_xlabel("position in the portfolio")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                  fontsize="small")
    plt.close(figure)
    return figure


def draw_optimism(by_members: pd.DataFrame, by_rows: pd.DataFrame) -> Figure:
    """Draw what selection promises and keeps by members, and its optimism by rows.

    Parameters
    ----------
    by_members : pandas.DataFrame
        Columns ``members, seen, seen_low, seen_high, test, test_low, test_high`` (%).
    by_rows : pandas.DataFrame
        Columns ``share, rows, members, optimism, low, high`` (%).
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8))
    for k, (column, label) in enumerate((("seen", "on the rows selected on"),
                                         ("test", "on test rows"))):
        left.plot(by_members["members"], by_members[column], marker=MARKS[k], markersize=5,
                  color=PALETTE[k], label=label)
        left.fill_between(by_members["members"], by_members[f"{column}_low"],
                          by_members[f"{column}_high"], color=PALETTE[k], alpha=0.12, linewidth=0)
    left.set(xlabel="picks of the ensemble", ylabel="gain over the mean config [%]")
    left.legend(fontsize="small")
    for k, (members, part) in enumerate(by_rows.groupby("members")):
        right.errorbar(part["rows"] * 1.02**k, part["optimism"],
                       yerr=np.abs(part[["low", "high"]].T.to_numpy()
                                   - part["optimism"].to_numpy()),
                       marker=MARKS[k], color=PALETTE[k + 2], markersize=5,
                       label=f"{members} pick{'s' if members > 1 else ''}")
    right.set(xscale="log", xlabel="rows selected on (mean)", ylabel="optimism [points]")
    ticks = sorted(by_rows["rows"].round().astype(int).unique())
    right.set_xticks(ticks, ticks)
    right.minorticks_off()
    right.legend(fontsize="small")
    plt.close(figure)
    return figure
