"""Figures of what feature scaling does: rates by scaling, paired differences, single curves."""

import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.drawing.blank import blank_figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.dots import add_legend, draw_dots, name_rows
from analysis.drawing.style import SCALING_COLOURS
from analysis.shapes.words import SHAPE_LABELS
from collection.container import SCALINGS

PANELS = ("non_monotone", "non_convex", "dipping", "peaking")  # those of the paper's Figure 4


def draw_scaling_rates(intervals: pd.DataFrame) -> Figure:
    """Draw each learner's rates under every scaling, with intervals (the paper's Figure 4).

    Parameters
    ----------
    intervals : pandas.DataFrame
        From `analysis.rates.rates.rate_intervals`, by learner, for one procedure.

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
        From `analysis.preprocessing.scaling.paired_effects`, for one procedure.

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


