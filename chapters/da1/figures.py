"""Figures of rates and violations: per learner, and learner by dataset."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.charts import figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import PALETTE, SHAPE_COLOURS
from analysis.shapes.verdicts import SHAPE_LABELS
from analysis.statistics.repeats import REPEATS
from chapters.da1.local_peaks import Segment
from collection.container import only_dims

#: Colour and line of each kind of step.
STEP_STYLES = {Segment.worsening: ("#D55E00", "-"), Segment.insignificant: ("0.7", ":"),
               Segment.improvement: (PALETTE[0], "-")}


@figure
def draw_learner_rates(intervals: pd.DataFrame) -> Figure:
    """Draw each learner's share of curves with each verdict, with its interval (Figure 4).

    Parameters
    ----------
    intervals : pandas.DataFrame
        From `analysis.shapes.rates.rate_intervals`, by learner, for one procedure and scaling.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each verdict.
    """
    verdicts = ("non_monotone", "non_convex", "peaking", "dipping")
    wide = intervals.set_index(["learner", "verdict"])[["rate", "low", "high"]]
    order = wide["rate"].xs("ill_behaved", level="verdict").sort_values(kind="stable").index
    names = [learner_title(label) for label in order]
    figure, axes = plt.subplots(1, len(verdicts), sharey=True,
                                figsize=(2.4 * len(verdicts), 0.24 * len(order) + 1))
    for ax, verdict in zip(axes, verdicts, strict=True):
        rows = wide.xs(verdict, level="verdict").loc[order]
        ends = np.array([rows["rate"] - rows["low"], rows["high"] - rows["rate"]])
        ax.barh(names, rows["rate"], color=SHAPE_COLOURS[verdict], alpha=0.8)
        ax.errorbar(rows["rate"], range(len(order)), xerr=np.maximum(ends, 0), fmt="none",
                    ecolor="black", lw=0.8)
        ax.set(title=SHAPE_LABELS[verdict], xlabel="% of curves", xlim=(0, None))
        ax.tick_params(axis="y", labelsize="small")
    return figure


def violation_sizes(shapes: xr.Dataset) -> pd.DataFrame:
    """Return the sizes that `draw_violation_heatmap` draws, of all datasets, by name.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.

    Returns
    -------
    pandas.DataFrame
        ``dataset`` (its name), ``learner``, ``violation_mono``, ``violation_conv`` (error rate);
        NaN where the curve is missing.
    """
    table = only_dims(shapes[["violation_mono", "violation_conv"]]).to_dataframe().reset_index()
    return table.assign(dataset=table["dataset"].map(dataset_title))


@figure
def draw_violation_heatmap(shapes: xr.Dataset, violation: str, named: int = 50) -> Figure:
    """Draw the size of each curve's violation, learner by dataset (Figures 15 and 16).

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.
    violation : {"violation_mono", "violation_conv"}
        Which; in error rate. NaN, a missing curve, is left white.
    named : int
        How many datasets are drawn, each by its name: those with the largest mean violation.

    Returns
    -------
    matplotlib.figure.Figure
    """
    size = shapes[violation].transpose("learner", "dataset")
    size = size.sortby(size.mean("learner").fillna(-1), ascending=False).isel(
        dataset=slice(named)).sortby(size.mean("dataset"))
    figure, ax = plt.subplots(figsize=(10, 0.24 * size.sizes["learner"] + 3))
    image = ax.imshow(size, aspect="auto", vmin=0, vmax=0.3, interpolation="nearest")
    ax.set_yticks(range(size.sizes["learner"]),
                  [learner_title(label) for label in size["learner"].values], fontsize="small")
    names = [dataset_title(label) for label in size["dataset"].values.tolist()]
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    ax.tick_params(axis="x", length=0)
    left = shapes.sizes["dataset"] - len(names)
    ax.set_xlabel(f"datasets, largest mean violation first ({left} more are in the file)" if left
                  else "datasets, largest mean violation first")
    figure.colorbar(image, ax=ax, label="violation [error rate]", extend="max", pad=0.01)
    return figure


@figure
def draw_local_steps(valid: xr.DataArray, segments: xr.DataArray) -> Figure:
    """Draw a curve with each step between neighbouring anchors by its kind (Figure 21a).

    Parameters
    ----------
    valid : xarray.DataArray, dims (outer, inner, anchor)
        Error rates of one curve; its labels make the title.
    segments : xarray.DataArray, dims (anchor,)
        Its `chapters.da1.local_peaks.local_segments`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    mean = valid.mean(REPEATS).dropna("anchor")
    kinds = segments.sel(anchor=mean["anchor"]).values[:-1]
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for kind in Segment:
        colour, style = STEP_STYLES[kind]
        for k in np.flatnonzero(kinds == kind):
            ax.plot(mean["anchor"][k : k + 2], mean[k : k + 2], color=colour, ls=style, lw=2.5)
        ax.plot([], [], color=colour, ls=style, lw=2.5, label=kind.name)
    ax.plot(mean["anchor"], mean, "o", color="black", ms=3)
    ax.set(xscale="log", xlabel="training-set size [rows]", ylabel="error rate",
           title=f"{learner_title(valid['learner'].item())} on"
                 f" {dataset_title(valid['dataset'].item())}")
    ax.legend()
    return figure


@figure
def draw_verdict_changes(valid: xr.DataArray, changes: pd.DataFrame, rows: int = 3) -> Figure:
    """Draw curves that only one of the two procedures calls ill-behaved.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates as recorded.
    changes : pandas.DataFrame
        From `analysis.shapes.rates.verdict_changes`.
    rows : int
        Curves per column.

    Returns
    -------
    matplotlib.figure.Figure
    """
    columns = ("only published", "only corrected")
    figure, axes = plt.subplots(rows, 2, figsize=(7, 2.1 * rows), squeeze=False)
    for column, change in zip(axes.T, columns, strict=True):
        chosen = changes[changes["change"] == change].drop_duplicates("learner")
        for ax in column:
            ax.set_visible(False)
        for ax, row in zip(column, chosen.head(rows).itertuples(), strict=False):
            curve = valid.sel(dataset=row.dataset, learner=row.learner)
            ax.set_visible(True)
            plot_curve(curve.dropna("anchor", how="all"), ax)
            ax.set_title(f"{learner_title(row.learner)} on\n"
                         f"{dataset_title(row.dataset)}: {row.size:.2g}", fontsize="small")
            ax.tick_params(labelsize="small")
    return figure
