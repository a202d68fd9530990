"""The chapter's figures: the ranks of every study, and how often each way holds."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.drawing.charts import MARKERS, figure
from analysis.drawing.style import PALETTE
from chapters.order.atlas import STUDIES
from chapters.order.coverage import OURS

NAMED = 12  # methods: more are not named in the panel


@figure
def draw_studies(ranks: pd.DataFrame) -> Figure:
    """Draw the rank intervals of every study, a panel each, as bars from the best to the worst.

    Parameters
    ----------
    ranks : pandas.DataFrame
        Columns ``study, words, rank, low, high, may_be_first``.
    """
    names = list(ranks["study"].drop_duplicates())
    rows = -(-len(names) // 3)
    chart, axes = plt.subplots(rows, 3, figsize=(10, 2.7 * rows))
    for ax in axes.flat[len(names):]:
        ax.axis("off")
    for ax, name in zip(axes.flat, names, strict=False):
        part = ranks[ranks["study"] == name].reset_index(drop=True)
        colours = [PALETTE[0] if f else PALETTE[7] for f in part["may_be_first"]]
        ax.barh(part.index, part["high"] - part["low"] + 0.8, left=part["low"] - 0.4,
                height=0.75 if len(part) <= 40 else 1, color=colours, alpha=0.6)
        ax.plot(part["rank"], part.index, "k.", ms=3 if len(part) <= 40 else 1.5)
        ax.set_ylim(len(part) - 0.5, -0.5)
        ax.set_title(STUDIES[name].title, fontsize="small")
        ax.tick_params(labelsize="x-small")
        if len(part) <= NAMED:
            ax.set_yticks(part.index, [w[:20] for w in part["words"]])
        else:
            ax.set_yticks([])
            ax.set_ylabel(f"{len(part)} methods", fontsize="x-small")
    return chart


@figure
def draw_coverage(table: pd.DataFrame) -> Figure:
    """Draw how often each way holds all true ranks at once, a panel per size of table."""
    sizes = table[["tasks", "methods"]].drop_duplicates().itertuples(index=False)
    sizes = [tuple(s) for s in sizes]
    ways = [w for w in table["way"].drop_duplicates()]
    kinds = list(table["kind"].drop_duplicates())
    chart, axes = plt.subplots(1, len(sizes), figsize=(10, 4.6), sharey=True)
    for ax, (tasks, methods) in zip(axes, sizes, strict=True):
        part = table[(table["tasks"] == tasks) & (table["methods"] == methods)]
        for k, way in enumerate(ways):
            rows = part[part["way"] == way]
            at = [kinds.index(kind) for kind in rows["kind"]]
            ax.plot(rows["coverage"], at, MARKERS[k % len(MARKERS)], ms=8 if way == OURS else 5,
                    color=PALETTE[k % len(PALETTE)], alpha=0.85, label=way)
        ax.axvline(0.95, color="0.4", lw=0.8)
        ax.set(title=f"{tasks} × {methods}", xlim=(-0.04, 1.04))
        ax.xaxis.set_major_formatter(PercentFormatter(1))
        ax.tick_params(labelsize="x-small")
    axes[0].set_yticks(range(len(kinds)), kinds)
    axes[0].set_ylim(len(kinds) - 0.5, -0.5)
    handles = {line.get_label(): line for ax in axes for line in ax.lines
               if not line.get_label().startswith("_")}
    chart.legend(handles.values(), handles, loc="outside lower center", ncols=3, fontsize="x-small")
    return chart
