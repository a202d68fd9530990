"""Draw learning curves: with their violations marked, and many beside each other."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SHAPE_COLOURS
from analysis.intervals.repeats import REPEATS
from analysis.shapes import detect_shapes


def draw_curves(curves: Mapping[str, xr.DataArray]) -> Figure:
    """Draw curves on one pair of axes.

    Parameters
    ----------
    curves : mapping of label to xarray.DataArray, dims (outer, inner, anchor)
        Names in the legend, and curves from `analysis.get_curve`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots()
    for label, curve in curves.items():
        plot_curve(curve, ax, label=label)
    plt.close(figure)
    return figure


def draw_monotonicity(curve: xr.DataArray) -> Figure:
    """Draw a curve, the lowest error so far, and the largest gap between the two (Figure 2).

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor)
        Of a metric that is better when lower.

    Returns
    -------
    matplotlib.figure.Figure
    """
    found = detect_shapes(curve, procedure="corrected")
    figure, ax = plt.subplots()
    plot_curve(curve, ax)
    mean = curve.mean(REPEATS)
    ax.plot(mean["anchor"], np.minimum.accumulate(mean.values), "--", color="0.4")
    low, high = float(found["mono_i"]), float(found["mono_j"])
    bottom, top = float(mean.sel(anchor=low)), float(mean.sel(anchor=high))
    _gap(ax, high, bottom, top, r"$\epsilon_{\mathrm{mono}}$", SHAPE_COLOURS["non_monotone"])
    ax.plot([low, high], [bottom, top], "o", color=SHAPE_COLOURS["non_monotone"])
    plt.close(figure)
    return figure


def draw_convexity(curve: xr.DataArray) -> Figure:
    """Draw a curve, the line it should not exceed and the largest excess over it (Figure 3).

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor)
        Of a metric that is better when lower.

    Returns
    -------
    matplotlib.figure.Figure
        Its horizontal axis is linear: distances between anchors count.
    """
    found = detect_shapes(curve, procedure="corrected")
    figure, ax = plt.subplots()
    plot_curve(curve, ax)
    ax.set_xscale("linear")
    mean = curve.mean(REPEATS)
    h, i, j = (float(found[name]) for name in ("conv_h", "conv_i", "conv_j"))
    ends = [float(mean.sel(anchor=n)) for n in (h, j)]
    ax.plot([h, j], ends, "--", color="0.4")
    top = float(mean.sel(anchor=i))
    colour = SHAPE_COLOURS["non_convex"]
    _gap(ax, i, float(np.interp(i, [h, j], ends)), top, r"$\epsilon_{\mathrm{conv}}$", colour)
    ax.plot([h, i, j], [ends[0], top, ends[1]], "o", color=colour)
    plt.close(figure)
    return figure


def _gap(ax: Axes, at: float, bottom: float, top: float, label: str, colour: str) -> None:
    ax.annotate("", (at, top), (at, bottom), arrowprops={"arrowstyle": "<->", "color": colour})
    ax.annotate(label, (at, (bottom + top) / 2), xytext=(6, 0), textcoords="offset points",
                color=colour, va="center", fontsize="large")


def draw_gallery(valid: xr.DataArray, examples: pd.DataFrame) -> Figure:
    """Draw the curves of `analysis.shapes.gallery.find_examples`: a row per shape.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    examples : pandas.DataFrame
        Columns ``shape``, ``dataset``, ``learner``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    shapes = list(dict.fromkeys(examples["shape"]))
    columns = int(examples.groupby("shape").size().max())
    figure, axes = plt.subplots(len(shapes), columns, squeeze=False,
                                figsize=(3.1 * columns, 2.3 * len(shapes)))
    for row, shape in zip(axes, shapes, strict=True):
        chosen = examples[examples["shape"] == shape].itertuples()
        for ax in row:
            ax.set_visible(False)
        for ax, example in zip(row, chosen, strict=False):
            curve = valid.sel(dataset=example.dataset, learner=example.learner)
            ax.set_visible(True)
            plot_curve(curve.dropna("anchor", how="all"), ax)
            ax.set_title(f"{shape}: {example.learner}\non {dataset_title(example.dataset)}",
                         fontsize="small")
            ax.tick_params(labelsize="small")
    plt.close(figure)
    return figure
