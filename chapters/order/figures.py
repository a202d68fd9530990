"""The chapter's figures: what each leaderboard can tell, and how often its intervals hold."""

import html

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.drawing.charts import add_legend, figure
from analysis.drawing.style import PALETTE
from chapters.order import atlas
from chapters.order.coverage import AS_THEY_ARE, CENTRED, FAMILIES
from chapters.order.study import Atlas
from chapters.order.ways import FLIPS, OURS
from collection.project.paths import RESULTS

SHOWN = 10  # methods on a card
WAYS = {FLIPS: (PALETTE[1], "s"), OURS: (PALETTE[0], "o")}


@figure
def draw_fields(found: Atlas) -> Figure:
    """Draw which share of pairs and of neighbours each study can tell apart, by field."""
    table = found.studies.assign(neighbours_share=found.studies["neighbours_apart"]
                                 / found.studies["neighbours"])
    order = list(dict.fromkeys(table["field"]))
    table = table.assign(at=table["field"].map(order.index)).sort_values(
        ["at", "pairs_apart"], ascending=[True, False], ignore_index=True)
    place = table.index + 0.3 * table["at"]
    drawn, ax = plt.subplots(figsize=(7.2, 4.6))
    ax.hlines(place, table["neighbours_share"], table["pairs_apart"], color="0.8", lw=2, zorder=0)
    ax.plot(table["pairs_apart"], place, "o", color=PALETTE[0], ms=6, label="all pairs")
    ax.plot(table["neighbours_share"], place, "D", color=PALETTE[1], ms=5, label="neighbours")
    ax.set_yticks(place, [f"{t} ({n})" for t, n in zip(table["title"], table["families"],
                                                       strict=True)], fontsize=8)
    ax.margins(y=0.02)
    ax.invert_yaxis()
    ax.set(xlim=(-0.03, 1.05), xlabel="share that can be told apart")
    drawn.suptitle("Leaderboards tell many pairs apart, and few neighbours", x=0.01, ha="left",
                   fontsize="medium", fontweight="bold")
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    add_legend(drawn, ax, loc="outside lower center", columns=2)
    return drawn


@figure
def draw_coverage(found: Atlas) -> Figure:
    """Draw how often all intervals hold with each study's residuals, by size and way."""
    return _by_size(found.coverage, CENTRED, "coverage", "all intervals hold at once", 0.95,
                    "With real, skewed differences sign flips alone hold too rarely")


@figure
def draw_power(found: Atlas) -> Figure:
    """Draw which share of pairs is told apart where a study's own order is true."""
    return _by_size(found.coverage, AS_THEY_ARE, "apart", "pairs told apart", None,
                    "What that costs: pairs told apart with 20 families, hardly any with 150")


def _by_size(table: pd.DataFrame, kind: str, value: str, label: str, line: float | None,
             title: str) -> Figure:
    drawn, axes = plt.subplots(1, len(FAMILIES), figsize=(7.2, 3.2), sharey=True)
    for ax, families in zip(axes, FAMILIES, strict=True):
        part = table[(table["kind"] == kind) & (table["families"] == families)]
        wide = part.pivot(index="table", columns="way", values=value).sort_values(FLIPS)
        for way, (colour, marker) in WAYS.items():
            ax.plot(range(len(wide)), wide[way], marker, ms=4, color=colour, label=way)
        if line is not None:
            ax.axhline(line, color="0.4", lw=0.8)
        ax.set(title=f"{families} families", xticks=[], xlabel="studies, sorted")
        ax.yaxis.set_major_formatter(PercentFormatter(1))
    axes[0].set_ylabel(label)
    drawn.suptitle(title, x=0.01, ha="left", fontsize="medium", fontweight="bold")
    add_legend(drawn, axes[0], loc="outside lower center", columns=2)
    return drawn


@figure
def draw_card(found: Atlas, study: str) -> Figure:
    """Draw a study's card: how sure is this leaderboard? Its first ten methods' ranks."""
    row = found.studies.set_index("study").loc[study]
    rows = found.ranks[found.ranks["study"] == study].head(SHOWN)
    drawn, ax = plt.subplots(figsize=(6, 3.4))
    colours = [PALETTE[0] if first else PALETTE[7] for first in rows["may_be_first"]]
    at = range(len(rows))
    ax.barh(at, rows["high"] - rows["low"] + 0.7, left=rows["low"] - 0.35, color=colours,
            alpha=0.55, height=0.65)
    ax.plot(rows["rank"], at, "ko", ms=4)
    ax.set_yticks(at, [w if len(w) <= 28 else w[:27] + "…" for w in rows["words"].str.replace(
        "$", r"\$")])
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, rows["high"].max() + 1),
           xlabel=f"rank among {row['methods']} methods, with its interval; blue: may be first",
           title=f"{row['title']}: {row['may_be_first']} may be first, "
                 f"{100 * row['pairs_apart']:.0f} % of pairs apart")
    return drawn


def show_cards(found: Atlas) -> HTML:
    """Write every study's card to ``results/order/cards/``, with a page of all; link them."""
    folder = RESULTS / "order" / "cards"
    folder.mkdir(parents=True, exist_ok=True)
    titles = {name: html.escape(atlas.STUDIES[name].title) for name in found.studies["study"]}
    for study in titles:
        with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": study}):
            draw_card(found, study).savefig(folder / f"{study}.svg", metadata={"Date": None})
    shown = "".join(f'<a href="{s}.svg"><img src="{s}.svg" alt="{t}" loading="lazy"></a>'
                    for s, t in titles.items())
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width"><title>How sure is this leaderboard?</title><style>body{'
        "font-family:system-ui;display:flex;flex-wrap:wrap;gap:1rem;justify-content:center}"
        "img{width:30rem;max-width:95vw;border:1px solid #999}h1{width:100%;text-align:center}"
        f"</style><h1>How sure is this leaderboard?</h1>{shown}</html>\n", encoding="utf-8")
    items = ", ".join(f'<a href="../results/order/cards/{s}.svg">{t}</a>'
                      for s, t in titles.items())
    every = '<a href="../results/order/cards/index.html">All cards</a>'
    return HTML(f"<p>{every}, or one: {items}.</p>")
