"""Figures of what a repository holds, and of what selection on it promises."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import (
    add_legend,
    blank_figure,
    draw_bands,
    draw_dots,
    draw_heatmap,
    figure,
)
from analysis.drawing.style import PALETTE
from chapters.repository.families import FAMILY_TITLES

ROW = 0.24  # inches per config


@figure
def draw_ranks(ranks: pd.DataFrame) -> Figure:
    """Draw the ranks of configs (rows) on datasets (columns), both by likeness.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `chapters.repository.contents.rank_table`, with the column ``config``.
    """
    wide = ranks.set_index("config")
    shown = wide.iloc[by_likeness(wide.to_numpy()), by_likeness(wide.to_numpy().T)]
    made, ax = plt.subplots(figsize=(2.6 + 0.3 * shown.shape[1], 1.2 + ROW * len(shown)))
    draw_heatmap(ax, shown, "rank among all configs", cmap="viridis_r")
    ax.tick_params(labelsize="x-small")
    return made


@figure
def draw_correlations(correlations: pd.DataFrame) -> Figure:
    """Draw Spearman's correlations of configs' ranks, from `rank_correlations`."""
    wide = correlations.set_index("config")
    order = by_likeness(wide.to_numpy())
    side = 1.2 + ROW * len(wide)
    made, ax = plt.subplots(figsize=(side + 1.8, side + 0.6))
    draw_heatmap(ax, wide.iloc[order, order], "correlation of ranks", cmap="RdBu", vmin=-1, vmax=1)
    ax.tick_params(labelsize="x-small")
    return made


def by_likeness(values: np.ndarray) -> np.ndarray:
    """Return an order of rows in which like ones are neighbours (average linkage)."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(values) < 3:
        return np.arange(len(values))
    return leaves_list(linkage(np.nan_to_num(values), "average", optimal_ordering=True))


@figure
def draw_times(times: pd.DataFrame) -> Figure:
    """Draw training times of evaluations: distribution by family, and what they add up to.

    Parameters
    ----------
    times : pandas.DataFrame
        From `chapters.repository.costs.training_times`.
    """
    made, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8))
    order = times.groupby("family")["train_time"].sum().sort_values(ascending=False,
                                                                    kind="stable").index
    for k, family in enumerate(order):
        seconds = np.sort(times.loc[times["family"] == family, "train_time"].to_numpy())
        share = np.arange(1, len(seconds) + 1) / len(seconds)
        style = dict(color=PALETTE[k % len(PALETTE)], linestyle="-" if k < 4 else "--")
        left.plot(np.maximum(seconds, 1e-4), share, label=FAMILY_TITLES.get(family, family),
                  **style)
        right.plot(share, np.cumsum(seconds), **style)
    left.set(xscale="log", xlabel="training time [s]", ylabel="share of evaluations")
    right.set(xlabel="share of evaluations, cheapest first", ylabel="cost together [s]",
              yscale="log")
    add_legend(made, left, loc="outside lower center", fontsize="small")
    return made


@figure
def draw_kinds(summary: pd.DataFrame, lines: Mapping[str, float]) -> Figure:
    """Draw normalised errors of families: default, tuned, ensembled (TabRepo, Figure 2).

    Parameters
    ----------
    summary : pandas.DataFrame
        A row per family and kind: ``family, kind, normalized_error, low, high``; other methods
        have no family.
    lines : mapping of str to float
        Other methods' values, drawn across.
    """
    table = summary[summary["family"].fillna("") != ""]
    best = table.groupby("family")["normalized_error"].min().sort_values(kind="stable")
    table = table.assign(family=table["family"].map(lambda f: FAMILY_TITLES.get(f, f)))
    made, ax = plt.subplots(figsize=(7, 1.2 + 0.5 * len(best)))
    kinds = table.sort_values("kind", kind="stable")
    draw_dots(ax, kinds, "family", "normalized_error", by="kind",
              order=[FAMILY_TITLES.get(f, f) for f in best.index])
    for k, (name, value) in enumerate(lines.items()):
        ax.axvline(value, color=PALETTE[-1 - k], linestyle="--", label=name)
    ax.set(xlabel="normalised error (0: best config, 1: median)")
    add_legend(made, ax, loc="outside lower center", fontsize="small")
    return made


@figure
def draw_importance(table: pd.DataFrame) -> Figure:
    """Draw the importance of hyperparameters by family, with intervals.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.repository.importance.importances`.
    """
    if table.empty:
        return blank_figure("No family has eight configs, which it takes.")
    families: Sequence[str] = list(dict.fromkeys(table["family"]))
    sizes = [int((table["family"] == family).sum()) for family in families]
    made, axes = plt.subplots(len(families), 1, sharex=True, squeeze=False,
                              figsize=(7, 1 + 0.26 * sum(sizes) + 0.35 * len(families)),
                              gridspec_kw={"height_ratios": [n + 0.6 for n in sizes]})
    for ax, family in zip(axes[:, 0], families, strict=True):
        draw_dots(ax, table[table["family"] == family], "hyperparameter", "importance")
        ax.tick_params(axis="y", labelsize="x-small")
        ax.set_title(FAMILY_TITLES.get(family, family), fontsize="small", loc="left")
    axes[-1, 0].set(xlabel="share of the variance of errors", xlim=(0, 1))
    return made


@figure
def draw_optimism(by_members: pd.DataFrame, by_rows: pd.DataFrame) -> Figure:
    """Draw what selection promises and keeps by members, and its optimism by rows.

    Parameters
    ----------
    by_members : pandas.DataFrame
        Columns ``members, seen, seen_low, seen_high, test, test_low, test_high`` (%).
    by_rows : pandas.DataFrame
        Columns ``share, rows, members, optimism, low, high`` (points).
    """
    made, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8))
    for k, (column, label) in enumerate((("seen", "on the rows selected on"),
                                         ("test", "on test rows"))):
        own = by_members.assign(on=label)
        draw_bands(left, own, "members", column, f"{column}_low", f"{column}_high", by="on",
                   colours={label: PALETTE[k]}, log=False)
    left.set(xlabel="picks of the ensemble", ylabel="gain over the mean config [%]")
    left.legend(fontsize="small")
    picks = by_rows.assign(picks=[f"{m} pick{'s' if m > 1 else ''}" for m in by_rows["members"]])
    picks = picks.sort_values("members", kind="stable")
    draw_bands(right, picks, "rows", "optimism", by="picks",
               colours=dict(zip(picks["picks"].unique(), PALETTE[2:],
                                strict=False)))
    right.set(xlabel="rows selected on (mean)", ylabel="optimism [points]")
    ticks = sorted(by_rows["rows"].round().astype(int).unique())
    right.set_xticks(ticks, ticks)
    right.minorticks_off()
    right.legend(fontsize="small")
    return made
