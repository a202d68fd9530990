"""Figures of crossing curves: pairs, Figure 19's matrices, and when along the curve."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import PALETTE
from analysis.selection.crossing import PAIR

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
def draw_group_matrices(
    crosses: xr.DataArray, groups: Mapping[str, list[str]]
) -> Figure:
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
