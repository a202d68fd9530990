"""Figures of crossing curves (pairs, Figure 19's matrices, when along the curve) and of races."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import PALETTE
from analysis.selection import COSTS, STRATEGIES, cost_measure
from analysis.selection.crossing import PAIR

#: As in the paper's figures, blue for those that rarely cross, orange for those that often do.
GROUP_COLOURS = {"least": "#0072B2", "most": "#D55E00", "all": "#000000"}
GROUP_LABELS = {"least": "cross least", "most": "cross most", "all": "all learners"}
STRATEGY_COLOURS = dict(zip(
    ("halving", "early", "hyperband", "lccv", "extrapolate", "full", "random",
     "forecast"),
    PALETTE, strict=True))
_MARKERS = "osD^vP"
#: The matrices of `analysis.selection.crossing.crossing_probabilities`, with words for a page.
MATRICES = {
    "starts_better": "A starts better than B",
    "crosses": "A starts better and ends worse",
    "overtaken": "A ends worse, given that it started better",
}


@figure
def draw_crossings(valid: xr.DataArray, cases: pd.DataFrame) -> Figure:
    """Draw pairs of crossing curves, a panel each.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates.
    cases : pandas.DataFrame
        Rows of `chapters.da4.crossings.clearest_crossings`, and a column ``title``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    drawn, axes = plt.subplots(1, len(cases), figsize=(4.4 * len(cases), 3.4), squeeze=False)
    for ax, case in zip(axes[0], cases.itertuples(), strict=True):
        for learner in (case.learner_a, case.learner_b):
            curve = valid.sel(dataset=case.dataset, learner=learner)
            plot_curve(curve.dropna("anchor", how="all"), ax, label=learner_title(learner))
        ax.set_title(case.title, fontsize="small")
        ax.legend(fontsize="small")
    return drawn


@figure
def draw_crossing_matrices(probabilities: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the three matrices of each rule, rules side by side (Figure 19).

    Parameters
    ----------
    probabilities : mapping of title to xarray.Dataset, dims (learner_a, learner_b)
        From `crossing_probabilities`, over the same learners. They stand in
        the order of how often they start better, by the last one given.

    Returns
    -------
    matplotlib.figure.Figure
    """
    last = list(probabilities.values())[-1]
    order = last["starts_better"].mean("learner_b").sortby(
        last["starts_better"].mean("learner_b"), ascending=False)["learner_a"].values
    side = 0.23 * len(order) + 0.4
    drawn, axes = plt.subplots(len(MATRICES), len(probabilities), sharex=True, sharey=True,
                                squeeze=False,
                                figsize=(side * len(probabilities) + 1.2, side * len(MATRICES)))
    for row, (name, words) in zip(axes, MATRICES.items(), strict=True):
        highest = np.nanmax([p[name].max() for p in probabilities.values()])
        for ax, (title, matrix) in zip(row, probabilities.items(), strict=True):
            image = _heatmap(ax, matrix[name].sel({d: order for d in PAIR}), highest)
            ax.set_title(f"{title}:\n{words}", fontsize="small")
        drawn.colorbar(image, ax=row, pad=0.01, label="share of datasets")
    for ax in axes[:, 0]:
        ax.set_ylabel("A")
    return drawn


@figure
def draw_group_matrices(crosses: xr.DataArray, groups: Mapping[str, list[str]]) -> Figure:
    """Draw the crossing probabilities within groups of learners, with numbers (Figure 6a).

    Parameters
    ----------
    crosses : xarray.DataArray, dims (learner_a, learner_b)
    groups : mapping of title to learners

    Returns
    -------
    matplotlib.figure.Figure
    """
    drawn, axes = plt.subplots(1, len(groups), figsize=(4.6 * len(groups), 3.4), squeeze=False)
    pairs = {title: crosses.sel({d: list(names) for d in PAIR}) for title, names in groups.items()}
    highest = max(float(part.max()) for part in pairs.values())
    for ax, (title, part) in zip(axes[0], pairs.items(), strict=True):
        image = _heatmap(ax, part, highest)
        for (row, column), value in np.ndenumerate(part.values):
            if row != column and not np.isnan(value):
                ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize="small",
                        color="black" if value > 0.6 * highest else "white")
        ax.set_title(title, fontsize="small")
    drawn.colorbar(image, ax=axes[0].tolist(), pad=0.01, label="share of datasets")
    return drawn


def _heatmap(ax: Axes, matrix: xr.DataArray, highest: float):
    """Draw A down and B along; the diagonal is left white."""
    shown = np.where(np.eye(len(matrix), dtype=bool), np.nan, matrix.transpose(*PAIR).values)
    image = ax.imshow(shown, vmin=0, vmax=highest, interpolation="nearest")
    names = [learner_title(label) for label in matrix["learner_a"].values]
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    ax.set_yticks(range(len(names)), names, fontsize="x-small")
    return image


@figure
def draw_crossing_times(by_size: pd.DataFrame, by_position: pd.DataFrame) -> Figure:
    """Draw how often the order of two learners changes along the curve.

    Parameters
    ----------
    by_size, by_position : pandas.DataFrame
        From `chapters.da4.crossings.crossings_by_size` and `crossings_by_position`, with a
        column ``database``; of the sizes those that `exposed` says are worth drawing.

    Returns
    -------
    matplotlib.figure.Figure
    """
    drawn, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4), sharey=True)
    for table, ax in ((by_size, left), (by_position, right)):
        for colour, (database, part) in zip(PALETTE, table.groupby("database", sort=False),
                                            strict=False):
            middle = (np.sqrt(part["low"] * part["high"]) if ax is left
                      else (part["low"] + part["high"]) / 2)
            ends = [part["rate"] - part["rate_low"], part["rate_high"] - part["rate"]]
            ax.errorbar(middle, part["rate"], yerr=np.maximum(ends, 0), marker="o", ms=4,
                        color=colour, capsize=2, label=f"{database}: any change")
            ax.plot(middle, part["settles"] / part["exposed"], "--", marker=".", color=colour,
                    label=f"{database}: the last one")
    left.set_xscale("log", base=4)
    left.set(xlabel="training-set size", ylabel="changes of order per pair", ylim=(0, None))
    left.xaxis.set_major_formatter("{x:,.0f}")
    left.tick_params(axis="x", labelsize="small")
    right.set(xlabel="way from first to last common anchor", xlim=(0, 1))
    right.legend(fontsize="small")
    return drawn


@figure
def draw_random_sets(fives: pd.DataFrame, ways: Mapping[str, str]) -> Figure:
    """Draw regret against crossing over random sets of learners, with the regression line.

    Parameters
    ----------
    fives : pandas.DataFrame
        From `chapters.da4.races.random_sets`.
    ways : mapping of column to the column that is taken off
        A panel each.
    """
    drawn, axes = plt.subplots(1, len(ways), figsize=(3.4 * len(ways), 3.2), sharey=True,
                               squeeze=False)
    for ax, (way, base) in zip(axes[0], ways.items(), strict=True):
        extra = fives[way] - fives[base]
        ax.scatter(fives["crossing"], extra, s=12, color=PALETTE[0], alpha=0.6)
        slope, start = np.polyfit(fives["crossing"], extra, 1)
        ends = np.array([fives["crossing"].min(), fives["crossing"].max()])
        ax.plot(ends, start + slope * ends, color="black")
        ax.axhline(0, color="0.6", lw=0.8, zorder=0)
        ax.set(xlabel="pairs that cross (%)")
        ax.set_title(way, fontsize="small")
    axes[0, 0].set_ylabel(f"regret beyond\n{base}'s (points)")
    return drawn


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


def _interval(ax: Axes, x: np.ndarray, part: pd.DataFrame, value: str, bounds: str, group: str,
              style: str = "-", label: str | None = None) -> None:
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
    add_legend(drawn, axes[0, 0], 2, loc="outside lower center", fontsize="x-small")
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
