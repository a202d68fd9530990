"""Figures of what a repository holds."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.blank import blank_figure
from analysis.drawing.style import PALETTE

ROW = 0.24  # inches per config


def draw_ranks(ranks: pd.DataFrame) -> Figure:
    """Draw the ranks of configs (rows) on datasets (columns), both by likeness.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `analysis.repositories.rank_table`.
    """
    rows, columns = by_likeness(ranks.to_numpy()), by_likeness(ranks.to_numpy().T)
    shown = ranks.iloc[rows, columns]
    figure, ax = plt.subplots(figsize=(2.6 + 0.3 * shown.shape[1], 1.2 + ROW * len(shown)))
    image = ax.imshow(shown, cmap="viridis_r", aspect="auto")
    ax.set_xticks(range(shown.shape[1]), shown.columns, rotation=60, ha="right",
                  fontsize="x-small")
    ax.set_yticks(range(len(shown)), shown.index, fontsize="x-small")
    ax.tick_params(length=0)
    figure.colorbar(image, ax=ax, label="rank among all configs")
    plt.close(figure)
    return figure


def draw_correlations(correlations: pd.DataFrame) -> Figure:
    """Draw Spearman's correlations of configs' ranks, from `rank_correlations`."""
    order = by_likeness(correlations.to_numpy())
    shown = correlations.iloc[order, order]
    side = 1.2 + ROW * len(shown)
    figure, ax = plt.subplots(figsize=(side + 1.8, side + 0.6))
    image = ax.imshow(shown, cmap="RdBu", vmin=-1, vmax=1)
    ax.set_xticks(range(len(shown)), shown.columns, rotation=90, fontsize="x-small")
    ax.set_yticks(range(len(shown)), shown.index, fontsize="x-small")
    ax.tick_params(length=0)
    figure.colorbar(image, ax=ax, label="correlation of ranks", shrink=0.7)
    plt.close(figure)
    return figure


def by_likeness(values: np.ndarray) -> np.ndarray:
    """Return an order of rows in which like ones are neighbours (average linkage)."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(values) < 3:
        return np.arange(len(values))
    return leaves_list(linkage(np.nan_to_num(values), "average", optimal_ordering=True))


def draw_times(times: pd.DataFrame) -> Figure:
    """Draw training times of evaluations: distribution by family, and what they add up to.

    Parameters
    ----------
    times : pandas.DataFrame
        From `analysis.repositories.training_times`.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8))
    order = times.groupby("family")["train_time"].sum().sort_values(ascending=False).index
    for k, family in enumerate(order):
        seconds = np.sort(times.loc[times["family"] == family, "train_time"].to_numpy())
        share = np.arange(1, len(seconds) + 1) / len(seconds)
        style = dict(color=PALETTE[k % len(PALETTE)], linestyle="-" if k < 4 else "--")
        left.plot(np.maximum(seconds, 1e-4), share, label=family, **style)
        right.plot(share, np.cumsum(seconds), **style)
    left.set(xscale="log", xlabel="training time [s]", ylabel="share of evaluations")
    right.set(xlabel="share of evaluations, cheapest first", ylabel="cost together [s]",
              yscale="log")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4,
                  fontsize="small")
    plt.close(figure)
    return figure


def draw_importance(table: pd.DataFrame) -> Figure:
    """Draw the importance of hyperparameters by family, with intervals.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.hyperparameters.importances`.
    """
    if table.empty:
        return blank_figure("No family has eight configs, which it takes.")
    families = list(dict.fromkeys(table["family"]))
    sizes = [int((table["family"] == family).sum()) for family in families]
    figure, axes = plt.subplots(len(families), 1, sharex=True, squeeze=False,
                                figsize=(7, 1 + 0.26 * sum(sizes) + 0.35 * len(families)),
                                gridspec_kw={"height_ratios": [n + 0.6 for n in sizes]})
    for ax, family in zip(axes[:, 0], families, strict=True):
        part = table[table["family"] == family].sort_values("importance")
        spread = np.abs(part[["low", "high"]].T.to_numpy() - part["importance"].to_numpy())
        ax.errorbar(part["importance"], range(len(part)), xerr=spread, fmt="o",
                    color=PALETTE[0], ecolor="#999999", markersize=4)
        ax.set_yticks(range(len(part)), part["hyperparameter"], fontsize="x-small")
        ax.set_title(family, fontsize="small", loc="left")
        ax.set_ylim(-0.6, len(part) - 0.4)
    axes[-1, 0].set(xlabel="share of the variance of errors", xlim=(0, 1))
    plt.close(figure)
    return figure


def draw_kinds(summary: pd.DataFrame, kinds: Sequence[str],
               lines: Mapping[str, float] | None = None) -> Figure:
    """Draw normalised errors of families: default, tuned, ensembled (TabRepo, Figure 2).

    Parameters
    ----------
    summary : pandas.DataFrame
        A row per family and kind: ``family, kind, normalized_error, low, high``.
    kinds : sequence of str
        From bottom to top within a family.
    lines : mapping of str to float, optional
        Other methods' values, drawn across.
    """
    best = summary.groupby("family")["normalized_error"].min().sort_values(ascending=False)
    figure, ax = plt.subplots(figsize=(7, 1.2 + 0.5 * len(best)))
    for k, kind in enumerate(kinds):
        part = summary[summary["kind"] == kind].set_index("family").loc[best.index]
        places = np.arange(len(best)) + 0.24 * (k - (len(kinds) - 1) / 2)
        spread = np.abs(part[["low", "high"]].T.to_numpy() - part["normalized_error"].to_numpy())
        ax.errorbar(part["normalized_error"], places, xerr=spread, fmt="osD"[k % 3],
                    color=PALETTE[k], label=kind, markersize=5)
    for k, (name, value) in enumerate((lines or {}).items()):
        ax.axvline(value, color=PALETTE[-1 - k], linestyle="--", label=name)
    ax.set_yticks(range(len(best)), best.index)
    ax.set(xlabel="normalised error (0: best config, 1: median)")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3,
                  fontsize="small")
    plt.close(figure)
    return figure
