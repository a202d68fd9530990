"""Figures of what feature scaling does: rates by scaling, paired differences, single curves."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.blank import blank_figure
from analysis.browse import plot_curve
from analysis.style import SCALING_COLOURS, SHAPE_LABELS
from collection.container import SCALINGS

PANELS = ("non_monotone", "non_convex", "dipping", "peaking")  # those of the paper's Figure 4
OFFSETS = {"none": -0.27, "minmax": 0.0, "standard": 0.27}
MARKERS = {"none": "o", "minmax": "s", "standard": "^"}


def draw_scaling_rates(intervals: pd.DataFrame) -> Figure:
    """Draw each learner's rates under every scaling, with intervals (the paper's Figure 4).

    Parameters
    ----------
    intervals : pandas.DataFrame
        From `analysis.rates.rate_intervals`, by learner, for one procedure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if intervals.empty:
        return blank_figure("No learner was gathered under every scaling.")
    order = (intervals.query("verdict == 'ill_behaved'").groupby("learner")["rate"].mean()
             .sort_values().index)
    figure, axes = plt.subplots(1, len(PANELS), sharey=True,
                                figsize=(2.4 * len(PANELS), 0.3 * len(order) + 1.4))
    for ax, verdict in zip(axes, PANELS, strict=True):
        for scaling in SCALINGS:
            rows = intervals[(intervals["verdict"] == verdict) & (intervals["scaling"] == scaling)]
            draw_dots(ax, rows.set_index("learner").reindex(order), "rate", scaling)
        ax.set(title=SHAPE_LABELS[verdict], xlabel="% of curves")
        name_rows(ax, order)
    add_legend(figure, axes[0])
    return figure


def draw_paired_effects(paired: pd.DataFrame) -> Figure:
    """Draw the paired difference that scaling makes to each learner, with its interval.

    Parameters
    ----------
    paired : pandas.DataFrame
        From `analysis.scaling_effects.paired_effects`, for one procedure.

    Returns
    -------
    matplotlib.figure.Figure
        Left of 0: scaling helps.
    """
    if paired.empty:
        return blank_figure("No learner was gathered under every scaling.")
    labels = {"ill_behaved": "ill-behaved curves [percentage points]",
              "violation": "largest violation [points of error rate]"}
    main = paired[(paired["measure"] == "violation") & (paired["learner"] != "all")]
    size = main.groupby("learner")["difference"].mean()
    order = [*size.sort_values(ascending=False).index, "all"]
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(8.5, 0.3 * len(order) + 1.4))
    for ax, (measure, label) in zip(axes, labels.items(), strict=True):
        for scaling in SCALINGS[1:]:
            rows = paired[(paired["measure"] == measure) & (paired["scaling"] == scaling)]
            draw_dots(ax, rows.set_index("learner").reindex(order), "difference", scaling)
        ax.axvline(0, color="black", lw=0.8, zorder=0)
        ax.set(xlabel=label)
        name_rows(ax, order)
    add_legend(figure, axes[0])
    return figure


def draw_curves_by_scaling(valid: xr.DataArray, picks: pd.DataFrame) -> Figure:
    """Draw chosen curves under every scaling, a panel each.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates.
    picks : pandas.DataFrame
        Columns ``dataset`` and ``learner``.

    Returns
    -------
    matplotlib.figure.Figure
        Line: mean; band: one standard error.
    """
    if picks.empty:
        return blank_figure("No learner was gathered under every scaling.")
    n_rows = -(-len(picks) // 2)
    figure, axes = plt.subplots(n_rows, 2, figsize=(8, 2.5 * n_rows), squeeze=False)
    for ax in axes.flat[len(picks):]:
        ax.set_visible(False)
    for ax, row in zip(axes.flat, picks.itertuples(), strict=False):
        curves = valid.sel(dataset=row.dataset, learner=row.learner)
        for scaling in SCALINGS:
            curve = curves.sel(scaling=scaling).dropna("anchor", how="all")
            ax.set_prop_cycle(color=[SCALING_COLOURS[scaling]])
            plot_curve(curve, ax, label=scaling)
        ax.get_legend().remove()  # one for all panels is enough
        ax.set_title(f"{row.learner} on {row.dataset}", fontsize="small")
        ax.tick_params(labelsize="small")
    add_legend(figure, axes[0, 0])
    return figure


def draw_dots(ax: Axes, rows: pd.DataFrame, value: str, scaling: str) -> None:
    """Draw a dot with its interval per row of `rows`, a little off where other scalings are."""
    at = np.arange(len(rows)) + OFFSETS[scaling]
    ends = np.array([rows[value] - rows["low"], rows["high"] - rows[value]])
    ax.errorbar(rows[value], at, xerr=np.maximum(ends, 0), fmt=MARKERS[scaling], ms=3.5, lw=0.9,
                color=SCALING_COLOURS[scaling], label=scaling)


def name_rows(ax: Axes, order: list[str]) -> None:
    """Name the rows, and shade every second one, so that dots are read in their row."""
    ax.set_yticks(range(len(order)), order, fontsize="small")
    for k in range(0, len(order), 2):
        ax.axhspan(k - 0.5, k + 0.5, color="0.95", zorder=-1, lw=0)
    ax.set_ylim(-0.6, len(order) - 0.4)


def add_legend(figure: Figure, ax: Axes) -> None:
    """Name the colours above the panels, and close the figure."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    plt.close(figure)
