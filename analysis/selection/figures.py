"""Figures of model selection: successive halving on groups of learners, and strategies' costs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE
from analysis.selection import COSTS, STRATEGIES, cost_measure

#: As in the paper's figures, blue for those that rarely cross, orange for those that often do.
GROUP_COLOURS = {"least": "#0072B2", "most": "#D55E00", "all": "#000000"}
GROUP_LABELS = {"least": "cross least", "most": "cross most", "all": "all learners"}
STRATEGY_COLOURS = dict(zip(
    ("halving", "early", "hyperband", "lccv", "extrapolate", "full", "random",
     "forecast"),
    PALETTE, strict=True))
_MARKERS = "osD^vP"


@figure
def draw_halving(rates: pd.DataFrame, races: pd.DataFrame) -> Figure:
    """Draw how often halving finds one of the k best, and how regrets spread (Figure 6b).

    Parameters
    ----------
    rates : pandas.DataFrame
        Rows of `analysis.selection.halving_frame` of one setting.
    races : pandas.DataFrame
        From `analysis.selection.halving_regrets` for that setting.

    Returns
    -------
    matplotlib.figure.Figure
        Right: the share of races whose regret exceeds a value, for every value.
    """
    drawn, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4))
    for place, (group, part) in enumerate(rates.groupby("group", sort=False)):
        _interval(left, part["k"] + 0.06 * place, part, "top_k_rate", "top_k", group)
    for group, part in races.groupby("group", sort=False):
        regret = np.sort(part["regret"].to_numpy())
        right.step(np.maximum(regret, 1e-4), 1 - np.arange(1, len(regret) + 1) / len(regret),
                   where="post", color=GROUP_COLOURS[group], label=GROUP_LABELS[group])
    left.set(xlabel="k", ylabel="chosen is among the k best", ylim=(0, 1.02))
    left.set_xticks(sorted(rates["k"].unique()))
    right.set(xscale="log", xlabel="regret [error rate]", ylabel="share of races above",
              ylim=(0, None), xlim=(1e-4, 1))
    left.legend(fontsize="small", loc="lower right")
    return drawn


@figure
def draw_halving_grid(rates: pd.DataFrame) -> Figure:
    """Draw the grid of halving: top-1 and top-2 rate and regret by start and increase (Figure 20).

    Parameters
    ----------
    rates : pandas.DataFrame
        From `analysis.selection.halving_frame`: one database, procedure and dropout.

    Returns
    -------
    matplotlib.figure.Figure
        A column per start anchor; along each, the increases per round.
    """
    starts, increases = sorted(rates["start"].unique()), sorted(rates["increase"].unique())
    drawn, axes = plt.subplots(2, len(starts), sharex=True, sharey="row", squeeze=False,
                                figsize=(3 * len(starts), 5))
    for column, start in zip(axes.T, starts, strict=True):
        part = rates[rates["start"] == start].sort_values("increase", kind="stable")
        for place, group in enumerate(part["group"].unique()):
            mine = part[part["group"] == group]
            x = np.arange(len(increases)) + 0.12 * place
            for k, style in ((1, "-"), (2, "--")):
                _interval(column[0], x, mine[mine["k"] == k], "top_k_rate", "top_k", group, style,
                          f"{GROUP_LABELS[group]}, {'best' if k == 1 else 'best two'}")
            _interval(column[1], x, mine[mine["k"] == 1], "regret", "regret", group)
        column[0].set(title=f"start at {start} rows", ylim=(0, 1.02))
        column[1].set_xticks(range(len(increases)), [f"{100 * i:g} %" for i in increases])
        column[1].set(xlabel="budget increase per round", ylim=(0, None))
    axes[0, 0].set_ylabel("rate of choosing")
    axes[1, 0].set_ylabel("mean regret [error rate]")
    axes[0, -1].legend(fontsize="x-small", loc="lower right")
    return drawn


def _interval(
    ax: Axes, x: np.ndarray, part: pd.DataFrame, value: str, bounds: str, group: str,
    style: str = "-", label: str | None = None,
) -> None:
    ends = [part[value] - part[f"{bounds}_low"], part[f"{bounds}_high"] - part[value]]
    ax.errorbar(x, part[value], yerr=np.maximum(ends, 0), fmt=style, marker="o", ms=4, capsize=2,
                color=GROUP_COLOURS[group], label=label or GROUP_LABELS[group])


@figure
def draw_strategies(summary: pd.DataFrame) -> Figure:
    """Draw regret against cost, in fits and in CPU time, of every strategy.

    Where there are no times, the cost is in training rows instead.

    Parameters
    ----------
    summary : pandas.DataFrame
        From `analysis.selection.summarise_strategies`: one database and procedure. The oracle,
        whose regret is 0, has no place on a logarithmic axis and is left out.

    Returns
    -------
    matplotlib.figure.Figure
        A row per measure of cost, a column per group.
    """
    summary = summary[summary["strategy"] != "oracle"]
    groups = list(summary["group"].unique())
    second = cost_measure(summary)
    costs = {"fits_share": "fits", second: COSTS[second]}
    drawn, axes = plt.subplots(2, len(groups), sharex="row", sharey=True, squeeze=False,
                                figsize=(3 * len(groups), 7.6))
    for row, (cost, words) in zip(axes, costs.items(), strict=True):
        for ax, group in zip(row, groups, strict=True):
            _draw_costs(ax, summary[summary["group"] == group], cost)
            ax.set_title(GROUP_LABELS[group], fontsize="small")
        row[len(row) // 2].set_xlabel(f"{words}, as a multiple of full evaluation's")
        row[0].set_ylabel("mean regret [error rate]")
    drawn.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center",
                  fontsize="x-small", ncols=2)
    return drawn


def _draw_costs(ax: Axes, part: pd.DataFrame, cost: str) -> None:
    for strategy, settings in part.groupby("strategy", sort=False):
        for marker, row in zip(_MARKERS, settings.itertuples(), strict=False):
            ends = [[row.regret - row.regret_low], [row.regret_high - row.regret]]
            ax.errorbar(getattr(row, cost), row.regret, yerr=np.maximum(ends, 0), fmt=marker,
                        ms=5, color=STRATEGY_COLOURS[strategy], lw=1, capsize=2,
                        label=setting_label(strategy, row.params))
    ax.axvline(1, color="0.8", lw=1, zorder=0)
    ax.set(xscale="log", yscale="log")
    ax.xaxis.set_major_formatter("{x:g}")


def setting_label(strategy: str, params: str) -> str:
    """Return a strategy and its parameters in words, without the seed."""
    shown = ", ".join(p for p in params.split(", ") if p and not p.startswith("seed="))
    return STRATEGIES[strategy].title + (f" ({shown})" if shown else "")
