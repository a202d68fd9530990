"""Figures of fitted and extrapolated curves."""


import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from lmfit.model import ModelResult
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE, SHAPE_COLOURS
from analysis.fitting.lmfit_models import plot_fit
from analysis.statistics.repeats import REPEATS
from chapters.da3.effects import EXACT
from chapters.da3.fits import COMPARED

GOOD = {"non_monotone": "monotone", "non_convex": "convex"}
BAD = {"non_monotone": "non-monotone", "non_convex": "non-convex"}
VIOLATION_NAMES = {"non_monotone": "monotonicity violation", "non_convex": "convexity violation"}
DASHES = ("-", "--", ":")
LOWEST = 1e-8  # mean squared error at which the axes of `draw_violation_errors` end


def dataset_title(curve: xr.DataArray) -> str:
    """Return the name of a curve's dataset, or its label where it has none."""
    name = str(curve["name"].item()) if "name" in curve.coords else ""
    return name or str(curve["dataset"].item())


@figure
def draw_single_fit(curve: xr.DataArray, result: ModelResult) -> Figure:
    """Draw one curve, its fit by lmfit, and the fit's confidence band.

    Parameters
    ----------
    curve : DataArray, dims (anchor,)
        With its labels.
    result : ModelResult
        From `analysis.fitting.lmfit_models.fit_one`.
    """
    drawn, ax = plt.subplots()
    plot_fit(curve, result, ax=ax)
    ax.set_title(f"{learner_title(curve['learner'].item())} on {dataset_title(curve)}")
    return drawn


@figure
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
    drawn, axes = _panels(mse["model"].values, sharex=True)
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
    return drawn


@figure
def draw_violation_errors(mse: xr.DataArray, shapes: xr.Dataset, summary: pd.DataFrame,
                          n_anchors: xr.DataArray) -> Figure:
    """Draw fits' errors against the size of significant violations (Figure 5b and 17).

    Parameters
    ----------
    mse, shapes
        As in `draw_fit_errors`.
    summary : DataFrame
        From `chapters.da3.fits.fit_summary`: the regression that is drawn.
    n_anchors : DataArray, dims (dataset, learner)
        The floor is drawn for their median over the curves shown.

    Returns
    -------
    Figure
        Errors below `LOWEST` lie on the lower edge.
    """
    drawn, axes = _panels(mse["model"].values, sharex="col", sharey=True)
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
    return drawn


def _panels(models: np.ndarray, **options) -> tuple[Figure, np.ndarray]:
    return plt.subplots(len(models), len(COMPARED), squeeze=False,
                        figsize=(8, 2.1 * len(models) + 0.3), **options)


@figure
def draw_example_fits(valid: xr.DataArray, fits: xr.Dataset, examples: pd.DataFrame) -> Figure:
    """Draw curves and every model's fit to them, a panel each (Figure 18).

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    fits : Dataset, dims (dataset, learner, model[, anchor])
        From `analysis.fit_curves` on their means.
    examples : DataFrame
        From `chapters.shapes.gallery.find_examples`.
    """
    drawn, axes = plt.subplots(1, len(examples), figsize=(3.3 * len(examples), 3.2),
                                squeeze=False)
    for ax, example in zip(axes[0], examples.itertuples(), strict=True):
        where = {"dataset": example.dataset, "learner": example.learner}
        curve = valid.sel(where).dropna("anchor", how="all")
        ax.plot(curve["anchor"], curve.mean(REPEATS), "o", color="0.5", ms=4)
        _plot_fits(ax, fits.sel(where), curve["anchor"].values)
        ax.set_title(f"{example.shape}: {learner_title(example.learner)}\n"
                     f"on {dataset_title(curve)}", fontsize="small")
        ax.set(xscale="log", xlabel="training-set size")
        ax.tick_params(labelsize="small")
        ax.legend(fontsize="x-small")
    axes[0, 0].set_ylabel("error rate")
    return drawn


def _plot_fits(ax: Axes, fits: xr.Dataset, anchors: np.ndarray) -> None:
    inside = fits["prediction"].sel(anchor=slice(anchors[0], anchors[-1]))
    for model, colour, dash in zip(fits["model"].values, PALETTE, DASHES, strict=False):
        error = float(fits["mse"].sel(model=model))
        ax.plot(inside["anchor"], inside.sel(model=model), color=colour, ls=dash, lw=2,
                label=f"{model} (MSE {error:.1e})")


GROUP_COLOURS = {"well-behaved": "#777777", "ill-behaved": "#D55E00"}
LEAST_CURVES = 20  # fewer make no mean worth drawing


@figure
def draw_errors_by_distance(summary: pd.DataFrame, models: tuple[str, ...]) -> Figure:
    """Draw the mean error of predictions by how far they reach, for well- and ill-behaved curves.

    Parameters
    ----------
    summary : DataFrame
        From `chapters.da3.predictions.summarise`, by ``group`` and ``octaves``.
    models : tuple of str
        Which to draw: the first in black (LAST1 for a baseline), and up to six more.
    """
    drawn, axes = plt.subplots(1, len(GROUP_COLOURS), figsize=(8.5, 3.6), sharey=True)
    for ax, group in zip(axes, GROUP_COLOURS, strict=True):
        rows = summary[(summary["group"] == group) & (summary["n"] >= LEAST_CURVES)]
        for model, colour in zip(models, ("black", *PALETTE), strict=False):
            line = rows[rows["model"] == model].sort_values("octaves", kind="stable")
            ax.plot(line["octaves"], line["mean_points"], marker="o", ms=4, label=model,
                    color=colour, lw=2.5 if model == "LAST1" else 1.5)
        ax.set(title=group, xlabel="doublings of the training set, up to")
    axes[0].set_ylabel("mean error [error-rate points]")
    axes[0].set_ylim(0, None)
    axes[0].legend(fontsize="small")
    return drawn


@figure
def draw_errors_by_shape(summary: pd.DataFrame, shapes: list[str]) -> Figure:
    """Draw each model's mean error on curves of each shape as a table of colours.

    Parameters
    ----------
    summary : DataFrame
        From `chapters.da3.predictions.summarise`, by ``shape``.
    shapes : list of str
        Columns, in order; those without curves are left out.
    """
    wide = summary.pivot(index="model", columns="shape", values="mean_points")
    wide = wide[[s for s in shapes if s in wide]]
    wide = wide.loc[wide["well-behaved"].sort_values(kind="stable").index]
    counts = summary.groupby("shape")["n"].max()
    drawn, ax = plt.subplots(figsize=(8, 0.27 * len(wide) + 1.4))
    image = ax.imshow(wide, aspect="auto", cmap="viridis_r",
                      vmax=np.nanquantile(wide, 0.9), vmin=np.nanmin(wide))
    middle = (image.norm.vmin + image.norm.vmax) / 2
    for (i, j), value in np.ndenumerate(wide.to_numpy()):
        if np.isfinite(value):
            ax.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize="small",
                    color="white" if value > middle else "black")
    ax.set_yticks(range(len(wide)), wide.index, fontsize="small")
    words = [f"{s}\n({counts[s]:,})".replace("other ", "other\n").replace("phase ", "phase\n")
             for s in wide.columns]
    ax.set_xticks(range(len(wide.columns)), words, fontsize="small")
    drawn.colorbar(image, ax=ax, label="mean error [points]", extend="max", pad=0.01)
    return drawn


@figure
def draw_costs(costs: pd.DataFrame) -> Figure:
    """Draw every model's mean error on well- and ill-behaved curves, with intervals.

    Parameters
    ----------
    costs : DataFrame
        From `chapters.da3.predictions.ill_behaviour_cost`, a row per model.
    """
    rows = costs.sort_values("ill", ascending=False, kind="stable")
    drawn, ax = plt.subplots(figsize=(7, 0.28 * len(rows) + 1))
    for offset, (group, short) in zip((-0.12, 0.12),
                                      zip(GROUP_COLOURS, ("well", "ill"), strict=True),
                                      strict=True):
        ends = np.array([rows[short] - rows[f"{short}_low"], rows[f"{short}_high"] - rows[short]])
        ax.errorbar(rows[short], np.arange(len(rows)) + offset, xerr=np.maximum(ends, 0), fmt="o",
                    ms=4, color=GROUP_COLOURS[group], label=group)
    ax.set_yticks(range(len(rows)), rows["model"], fontsize="small")
    ax.set(xlabel="mean error [error-rate points]", xlim=(0, None))
    ax.legend(fontsize="small")
    return drawn


@figure
def draw_required_sizes(table: pd.DataFrame) -> Figure:
    """Draw how far predicted training-set sizes are from those needed, in doublings.

    Parameters
    ----------
    table : DataFrame
        From `chapters.da3.required.required_sizes`, with the column ``group``.
    """
    models = list(dict.fromkeys(table["model"]))
    drawn, axes = plt.subplots(1, len(models), figsize=(3 * len(models), 3),
                                squeeze=False)
    for ax, model in zip(axes[0], models, strict=True):
        for group, colour in GROUP_COLOURS.items():
            rows = table[(table["model"] == model) & (table["group"] == group)]
            values = rows["doublings"].dropna().clip(-3, 3)
            if len(values):
                ax.hist(values, np.linspace(-3, 3, 25), density=True, alpha=0.5, color=colour,
                        label=f"{group} ({len(values):,})")
        ax.axvline(0, color="black", lw=1)
        ax.set(title=model, xlabel="predicted over needed [doublings]", yticks=[])
        ax.set_ylim(top=1.35 * ax.get_ylim()[1])
        ax.legend(fontsize="x-small")
    return drawn
