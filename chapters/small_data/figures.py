"""Figures of the chapter *Small data*."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import MARKERS, figure
from analysis.drawing.style import PALETTE
from chapters.small_data.margins import RULES
from chapters.small_data.pmlbmini import LOGISTIC

WIDEST = 10  # percent, of the margins drawn


@figure
def draw_shares(margins: pd.DataFrame, printed: Mapping[int, float]) -> Figure:
    """Draw on how many datasets logistic regression is within so many percent of the best.

    Parameters
    ----------
    margins : pandas.DataFrame
        From `chapters.small_data.margins.margins`: a column per rule.
    printed : mapping of int to float
        The paper's percentages of datasets by percent of margin.
    """
    drawn, ax = plt.subplots(figsize=(7, 3.8))
    for (rule, words), colour, style in zip(RULES.items(), PALETTE, ("-", "--", ":"),
                                            strict=False):
        values = np.sort(margins[rule].to_numpy())
        share = 100 * np.arange(1, len(values) + 1) / len(values)
        ax.step(np.r_[-5, values], np.r_[0, share], where="post", color=colour, ls=style,
                label=words)
    ax.plot(list(printed), list(printed.values()), "o", color="black", label="printed", zorder=5)
    ax.set(xlim=(-0.5, WIDEST), ylim=(0, 100), xlabel="margin of the best other method [%]",
           ylabel="datasets [%]")
    ax.legend(fontsize="small", loc="lower right")
    return drawn


@figure
def draw_bands(panels: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw medians and quartiles of the test AUC by number of rows (Figure 2a), a panel each.

    Parameters
    ----------
    panels : mapping of title to pandas.DataFrame
        From `analysis.comparison.judge.by_size`.
    """
    drawn, axes = plt.subplots(len(panels), 1, figsize=(7, 3.3 * len(panels)), sharey=True,
                                squeeze=False)
    for ax, (title, table) in zip(axes[:, 0], panels.items(), strict=True):
        bands, methods = (list(dict.fromkeys(table[c])) for c in ("rows", "method"))
        shift = np.linspace(-0.32, 0.32, len(methods))
        for k, method in enumerate(methods):
            mine = table[table["method"] == method].set_index("rows").reindex(bands)
            spread = [mine["median"] - mine["lower_quartile"],
                      mine["upper_quartile"] - mine["median"]]
            ax.errorbar(np.arange(len(bands)) + shift[k], mine["median"], yerr=spread, ms=5,
                        fmt=MARKERS[k % len(MARKERS)], color=PALETTE[k % len(PALETTE)], lw=1,
                        label=method)
        ax.set_xticks(range(len(bands)), bands, fontsize="x-small")
        ax.set(title=title, ylabel="test AUC")
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    axes[-1, 0].set_xlabel("rows")
    return drawn


@figure
def draw_dimensions(facts: pd.DataFrame) -> Figure:
    """Draw how many datasets have how many rows, and rows against features (Figure 4).

    Parameters
    ----------
    facts : pandas.DataFrame
        From `chapters.small_data.datasets.dataset_facts`.
    """
    drawn, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.4))
    left.hist(facts["rows"], bins=np.arange(0, 501, 50), color=PALETTE[0], edgecolor="white")
    left.set(xlabel="rows", ylabel="datasets")
    for reduced, colour, marker, label in ((True, PALETTE[0], "o", "outside TabPFN's prior"),
                                           (False, PALETTE[1], "^", "in it")):
        some = facts[facts["reduced"] == reduced]
        right.scatter(some["rows"], some["features"], s=24, color=colour, marker=marker,
                      label=label)
    right.set(xlabel="rows", ylabel="features", yscale="log")
    right.legend(fontsize="small")
    return drawn


@figure
def draw_methods(auc: pd.DataFrame, order: Sequence[str]) -> Figure:
    """Draw the test AUC of methods on every dataset, and the medians.

    Parameters
    ----------
    auc : pandas.DataFrame
        Datasets × methods.
    order : sequence of str
        Methods from top to bottom.
    """
    drawn, ax = plt.subplots(figsize=(7, 0.9 + 0.42 * len(order)))
    ax.boxplot([auc[m].dropna() for m in order], orientation="horizontal", widths=0.6,
               positions=range(len(order)), showfliers=False,
               medianprops={"color": PALETTE[1], "lw": 2})
    rng = np.random.default_rng(0)
    for k, method in enumerate(order):
        ax.plot(auc[method], k + rng.uniform(-0.2, 0.2, len(auc)), ".", color=PALETTE[0],
                alpha=0.5)
    if LOGISTIC in auc:
        ax.axvline(auc[LOGISTIC].median(), color="0.5", lw=1, ls="--")
    ax.set_yticks(range(len(order)), order)
    ax.invert_yaxis()
    ax.set_xlabel("test AUC")
    return drawn


@figure
def draw_repeats(repeats: pd.DataFrame) -> Figure:
    """Draw how far AUC falls once equal rows stay in one fold.

    Parameters
    ----------
    repeats : pandas.DataFrame
        From `chapters.small_data.datasets.repeated_rows_effect`.
    """
    names = list(dict.fromkeys(repeats["dataset"]))
    methods = list(dict.fromkeys(repeats["method"]))
    drawn, ax = plt.subplots(figsize=(7, 1 + 0.5 * len(names)))
    for k, method in enumerate(methods):
        mine = repeats[repeats["method"] == method].set_index("dataset").loc[names]
        rows = np.arange(len(names)) + 0.2 * (k - (len(methods) - 1) / 2)
        ax.hlines(rows, mine["spread"], mine["together"], color=PALETTE[k], lw=1.2)
        ax.plot(mine["spread"], rows, MARKERS[k], color="white", mec=PALETTE[k])
        ax.plot(mine["together"], rows, MARKERS[k], color=PALETTE[k], label=method)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("test AUC (open: equal rows spread over the folds; full: kept together)")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return drawn


@figure
def draw_penalties(grid: pd.DataFrame) -> Figure:
    """Draw which penalties the published grid and a wider one choose.

    Parameters
    ----------
    grid : pandas.DataFrame
        From `chapters.small_data.datasets.wider_grid`.
    """
    values = sorted({*grid["published"].round(4), *grid["chosen"].round(4)})
    drawn, ax = plt.subplots(figsize=(7, 3.2))
    for k, (column, label) in enumerate((("published", "published grid, ends at 0.5"),
                                         ("chosen", "wider grid"))):
        counts = grid[column].round(4).value_counts().reindex(values, fill_value=0)
        ax.bar(np.arange(len(values)) + 0.4 * k - 0.2, counts, width=0.38, color=PALETTE[k],
               label=label)
    ax.set_xticks(range(len(values)), [f"{v:g}" for v in values])
    ax.set(xlabel="λ*", ylabel="datasets")
    ax.legend(fontsize="small")
    return drawn
