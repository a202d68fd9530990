"""Figures of what feature scaling does: rates by scaling, paired differences, single curves."""

import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.charts import add_legend, blank_figure, draw_dots, figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SCALING_COLOURS
from analysis.shapes.verdicts import SHAPE_LABELS
from collection.container import SCALINGS

PANELS = ("non_monotone", "non_convex", "dipping", "peaking")  # those of the paper's Figure 4


@figure
def draw_scaling_rates(intervals: pd.DataFrame) -> Figure:
    """Draw each learner's rates under every scaling, with intervals (the paper's Figure 4).

    Parameters
    ----------
    intervals : pandas.DataFrame
        From `analysis.shapes.rates.rate_intervals`, by learner, for one procedure.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if intervals.empty:
        return blank_figure("No learner was gathered under every scaling.")
    rows = intervals.assign(learner=intervals["learner"].map(learner_title))
    order = (rows.query("verdict == 'ill_behaved'").groupby("learner")["rate"].mean()
             .sort_values(ascending=False, kind="stable").index)
    figure, axes = plt.subplots(1, len(PANELS), sharey=True,
                                figsize=(2.4 * len(PANELS) + 1.6, 0.3 * len(order) + 1.4))
    for ax, verdict in zip(axes, PANELS, strict=True):
        draw_dots(ax, rows[rows["verdict"] == verdict], "learner", "rate", by="scaling",
                  order=order, colours=SCALING_COLOURS)
        ax.set(title=SHAPE_LABELS[verdict], xlabel="% of curves")
    add_legend(figure, axes[0])
    return figure


@figure
def draw_paired_effects(paired: pd.DataFrame) -> Figure:
    """Draw the paired difference that scaling makes to each learner, with its interval.

    Parameters
    ----------
    paired : pandas.DataFrame
        From `chapters.da2.scaling.paired_effects`, for one procedure.

    Returns
    -------
    matplotlib.figure.Figure
        Left of 0: scaling helps.
    """
    if paired.empty:
        return blank_figure("No learner was gathered under every scaling.")
    labels = {"ill_behaved": "ill-behaved curves [percentage points]",
              "violation": "largest violation [points of error rate]"}
    rows = paired.assign(learner=paired["learner"].map(learner_title))
    main = rows[(rows["measure"] == "violation") & (rows["learner"] != "all")]
    size = main.groupby("learner")["difference"].mean()
    order = ["all", *size.sort_values(kind="stable").index]
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(9.5, 0.3 * len(order) + 1.4))
    for ax, (measure, label) in zip(axes, labels.items(), strict=True):
        draw_dots(ax, rows[rows["measure"] == measure], "learner", "difference", by="scaling",
                  order=order, colours=SCALING_COLOURS, reference=0)
        ax.set(xlabel=label)
    add_legend(figure, axes[0])
    return figure


@figure
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
        ax.set_title(f"{learner_title(row.learner)} on {dataset_title(row.dataset)}",
                     fontsize="small")
        ax.tick_params(labelsize="small")
    add_legend(figure, axes[0, 0])
    return figure


