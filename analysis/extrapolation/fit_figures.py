"""Figures of fitted curves: one fit with its band, errors by verdict and violation, examples."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from lmfit.model import ModelResult
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.drawing.style import PALETTE, SHAPE_COLOURS
from analysis.extrapolation.fit_statistics import EXACT
from analysis.extrapolation.fit_tables import COMPARED
from analysis.fitting.lmfit_models import plot_fit
from analysis.intervals.repeats import REPEATS

GOOD = {"non_monotone": "monotone", "non_convex": "convex"}
BAD = {"non_monotone": "non-monotone", "non_convex": "non-convex"}
VIOLATION_NAMES = {"non_monotone": "monotonicity violation", "non_convex": "convexity violation"}
DASHES = ("-", "--", ":")
LOWEST = 1e-8  # mean squared error at which the axes of `draw_violation_errors` end


def dataset_title(curve: xr.DataArray) -> str:
    """Return the name of a curve's dataset, or its label where it has none."""
    name = str(curve["name"].item()) if "name" in curve.coords else ""
    return name or str(curve["dataset"].item())


def draw_single_fit(curve: xr.DataArray, result: ModelResult) -> Figure:
    """Draw one curve, its fit by lmfit, and the fit's confidence band.

    Parameters
    ----------
    curve : DataArray, dims (anchor,)
        With its labels.
    result : ModelResult
        From `analysis.fitting.lmfit_models.fit_one`.
    """
    figure, ax = plt.subplots()
    plot_fit(curve, result, ax=ax)
    ax.set_title(f"{curve['learner'].item()} on {dataset_title(curve)}")
    plt.close(figure)
    return figure


def draw_fit_errors(mse: xr.DataArray, shapes: xr.Dataset) -> Figure:
    """Draw the distribution of fits' errors for well- and ill-behaved curves (Figure 5a, 17).

    Parameters
    ----------
    mse : DataArray, dims (dataset, learner, model)
        Mean squared errors from `analysis.fit_curves`.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`; flat curves are left out.

    Returns
    -------
    Figure
        A row per model, a column per verdict; each group's histogram has area 1, and the dashed
        lines are its mean.
    """
    usable = np.log10(mse.where((mse >= EXACT) & ~shapes["flat"]))
    figure, axes = _panels(mse["model"].values, sharex=True)
    bins = np.linspace(float(usable.quantile(0.002)), float(usable.max()), 45)
    for row, model in zip(axes, mse["model"].values, strict=True):
        for ax, verdict in zip(row, COMPARED, strict=True):
            errors = usable.sel(model=model)
            groups = ((GOOD[verdict], ~shapes[verdict], "#777777"),
                      (BAD[verdict], shapes[verdict], SHAPE_COLOURS[verdict]))
            for label, which, colour in groups:
                values = errors.where(which).values
                values = values[np.isfinite(values)]
                if not len(values):
                    continue
                ax.hist(values, bins, density=True, color=colour, alpha=0.5,
                        label=f"{label} ({len(values):,})")
                ax.axvline(values.mean(), color=colour, ls="--", lw=2)
            ax.set(title=model, yticks=[])
            ax.legend(fontsize="x-small", loc="upper left")
    for ax in axes[-1]:
        ax.set_xlabel("log10 of the mean squared error")
    plt.close(figure)
    return figure


def draw_violation_errors(mse: xr.DataArray, shapes: xr.Dataset, summary: pd.DataFrame,
                          n_anchors: xr.DataArray) -> Figure:
    """Draw fits' errors against the size of significant violations (Figure 5b and 17).

    Parameters
    ----------
    mse, shapes
        As in `draw_fit_errors`.
    summary : DataFrame
        From `analysis.extrapolation.fit_tables.fit_summary`: the regression that is drawn.
    n_anchors : DataArray, dims (dataset, learner)
        The floor is drawn for their median over the curves shown.

    Returns
    -------
    Figure
        Errors below `LOWEST` lie on the lower edge.
    """
    figure, axes = _panels(mse["model"].values, sharex="col", sharey=True)
    lines = summary.set_index(["verdict", "model"])
    for row, model in zip(axes, mse["model"].values, strict=True):
        for ax, verdict in zip(row, COMPARED, strict=True):
            shown = shapes[verdict] & ~shapes["flat"] & (mse.sel(model=model) >= EXACT)
            sizes = shapes[COMPARED[verdict]].where(shown).values.ravel()
            heights = mse.sel(model=model).where(shown).clip(LOWEST).values.ravel()
            ax.scatter(sizes, heights, s=9, alpha=0.6, color=SHAPE_COLOURS[verdict],
                       linewidths=0, clip_on=False, rasterized=True)
            if shown.any():
                at = np.geomspace(np.nanmin(sizes), np.nanmax(sizes), 100)
                line = lines.loc[(verdict, model)]
                ax.plot(at, np.exp(line["intercept"] + line["slope"] * at), color="black",
                        label="regression of log MSE")
                count = float(n_anchors.where(shown).median())
                ax.plot(at, at**2 / (2 * count), color="black", ls=":",
                        label="floor, violation² / 2N")
            ax.set(title=model, xscale="log", yscale="log", ylim=(LOWEST, 1))
    for ax, verdict in zip(axes[-1], COMPARED, strict=True):
        ax.set_xlabel(f"{VIOLATION_NAMES[verdict]} [error rate]")
    for ax in axes[:, 0]:
        ax.set_ylabel("MSE")
    axes[0, 0].legend(fontsize="x-small")
    plt.close(figure)
    return figure


def _panels(models: np.ndarray, **options) -> tuple[Figure, np.ndarray]:
    return plt.subplots(len(models), len(COMPARED), squeeze=False,
                        figsize=(8, 2.1 * len(models) + 0.3), **options)


def draw_example_fits(valid: xr.DataArray, fits: xr.Dataset, examples: pd.DataFrame) -> Figure:
    """Draw curves and every model's fit to them, a panel each (Figure 18).

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    fits : Dataset, dims (dataset, learner, model[, anchor])
        From `analysis.fit_curves` on their means.
    examples : DataFrame
        From `analysis.shapes.gallery.find_examples`.
    """
    figure, axes = plt.subplots(1, len(examples), figsize=(3.3 * len(examples), 3.2),
                                squeeze=False)
    for ax, example in zip(axes[0], examples.itertuples(), strict=True):
        where = {"dataset": example.dataset, "learner": example.learner}
        curve = valid.sel(where).dropna("anchor", how="all")
        ax.plot(curve["anchor"], curve.mean(REPEATS), "o", color="0.5", ms=4)
        _plot_fits(ax, fits.sel(where), curve["anchor"].values)
        ax.set_title(f"{example.shape}: {example.learner}\non {dataset_title(curve)}",
                     fontsize="small")
        ax.set(xscale="log", xlabel="training-set size")
        ax.tick_params(labelsize="small")
        ax.legend(fontsize="x-small")
    axes[0, 0].set_ylabel("error rate")
    plt.close(figure)
    return figure


def _plot_fits(ax: Axes, fits: xr.Dataset, anchors: np.ndarray) -> None:
    inside = fits["prediction"].sel(anchor=slice(anchors[0], anchors[-1]))
    for model, colour, dash in zip(fits["model"].values, PALETTE, DASHES, strict=False):
        error = float(fits["mse"].sel(model=model))
        ax.plot(inside["anchor"], inside.sel(model=model), color=colour, ls=dash, lw=2,
                label=f"{model} (MSE {error:.1e})")
