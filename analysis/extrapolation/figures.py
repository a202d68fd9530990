"""Figures of extrapolated curves: errors by distance and shape, ranks, costs, required sizes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.style import PALETTE
from analysis.intervals.critical_difference import plot_critical_difference

GROUP_COLOURS = {"well-behaved": "#777777", "ill-behaved": "#D55E00"}
LEAST_CURVES = 20  # fewer make no mean worth drawing


def draw_errors_by_distance(summary: pd.DataFrame, models: tuple[str, ...]) -> Figure:
    """Draw the mean error of predictions by how far they reach, for well- and ill-behaved curves.

    Parameters
    ----------
    summary : DataFrame
        From `analysis.extrapolation.extrapolate.summarise`, by ``group`` and ``octaves``.
    models : tuple of str
        Which to draw: the first in black (LAST1 for a baseline), and up to six more.
    """
    figure, axes = plt.subplots(1, len(GROUP_COLOURS), figsize=(8.5, 3.6), sharey=True)
    for ax, group in zip(axes, GROUP_COLOURS, strict=True):
        rows = summary[(summary["group"] == group) & (summary["n"] >= LEAST_CURVES)]
        for model, colour in zip(models, ("black", *PALETTE), strict=False):
            line = rows[rows["model"] == model].sort_values("octaves")
            ax.plot(line["octaves"], line["mean_points"], marker="o", ms=4, label=model,
                    color=colour, lw=2.5 if model == "LAST1" else 1.5)
        ax.set(title=group, xlabel="doublings of the training set, up to")
    axes[0].set_ylabel("mean error [error-rate points]")
    axes[0].set_ylim(0, None)
    axes[0].legend(fontsize="small")
    plt.close(figure)
    return figure


def draw_errors_by_shape(summary: pd.DataFrame, shapes: list[str]) -> Figure:
    """Draw each model's mean error on curves of each shape as a table of colours.

    Parameters
    ----------
    summary : DataFrame
        From `analysis.extrapolation.extrapolate.summarise`, by ``shape``.
    shapes : list of str
        Columns, in order; those without curves are left out.
    """
    wide = summary.pivot(index="model", columns="shape", values="mean_points")
    wide = wide[[s for s in shapes if s in wide]]
    wide = wide.loc[wide["well-behaved"].sort_values().index]
    counts = summary.groupby("shape")["n"].max()
    figure, ax = plt.subplots(figsize=(8, 0.27 * len(wide) + 1.4))
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
    figure.colorbar(image, ax=ax, label="mean error [points]", extend="max", pad=0.01)
    plt.close(figure)
    return figure


def draw_rank_diagrams(results: dict[str, tuple]) -> Figure:
    """Draw critical-difference diagrams below each other.

    Parameters
    ----------
    results : dict
        Title of each diagram, and what `rank_models` returns.
    """
    figure, axes = plt.subplots(len(results), 1, figsize=(9, 3.6 * len(results)), squeeze=False)
    for ax, (title, result) in zip(axes[:, 0], results.items(), strict=True):
        plot_critical_difference(result, ax)
        ax.set_title(title)
    plt.close(figure)
    return figure


def draw_costs(costs: pd.DataFrame) -> Figure:
    """Draw every model's mean error on well- and ill-behaved curves, with intervals.

    Parameters
    ----------
    costs : DataFrame
        From `analysis.extrapolation.ill_behaviour_cost.ill_behaviour_cost`, a row per model.
    """
    rows = costs.sort_values("ill", ascending=False)
    figure, ax = plt.subplots(figsize=(7, 0.28 * len(rows) + 1))
    for offset, (group, short) in zip((-0.12, 0.12),
                                      zip(GROUP_COLOURS, ("well", "ill"), strict=True),
                                      strict=True):
        ends = np.array([rows[short] - rows[f"{short}_low"], rows[f"{short}_high"] - rows[short]])
        ax.errorbar(rows[short], np.arange(len(rows)) + offset, xerr=np.maximum(ends, 0), fmt="o",
                    ms=4, color=GROUP_COLOURS[group], label=group)
    ax.set_yticks(range(len(rows)), rows["model"], fontsize="small")
    ax.set(xlabel="mean error [error-rate points]", xlim=(0, None))
    ax.legend(fontsize="small")
    plt.close(figure)
    return figure


def draw_required_sizes(table: pd.DataFrame) -> Figure:
    """Draw how far predicted training-set sizes are from those needed, in doublings.

    Parameters
    ----------
    table : DataFrame
        From `analysis.extrapolation.required_size.required_sizes`, with the column ``group``.
    """
    models = list(dict.fromkeys(table["model"]))
    figure, axes = plt.subplots(1, len(models), figsize=(3 * len(models), 3),
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
    plt.close(figure)
    return figure
