"""The chapter's figures: what each leaderboard can tell, and how often its intervals hold."""

import html

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.leaderboards.order_page import draw_order
from chapters.order import atlas
from chapters.order.coverage import AS_THEY_ARE, CENTRED, FAMILIES
from chapters.order.study import Atlas
from chapters.order.ways import FLIPS, OURS
from collection.project.paths import RESULTS

SHOWN = 10  # methods on a card
LONG = r"^(.{27}).{2,}$"  # names, of which the beginning is shown


def draw_fields(found: Atlas) -> Figure:
    """Draw which share of pairs and of neighbours each study can tell apart, by field."""
    table = found.studies.sort_values("pairs_apart", ascending=False)
    table["field"] = pd.Categorical(table["field"], found.studies["field"].drop_duplicates())
    table = table.sort_values("field", kind="stable")
    table = table.assign(title=table["title"] + table["families"].map(" ({})".format))
    neighbours = table["neighbours_apart"] / table["neighbours"]
    rows = pd.concat([table.assign(of="all pairs", share=table["pairs_apart"], low=neighbours,
                                   high=table["pairs_apart"]),
                      table.assign(of="neighbours", share=neighbours)])
    return Chart("rows", "dots", "share", "title", "share that can be told apart [%]", by="of",
                 apart=False, percent=True, height=4.6,
                 title="Leaderboards tell many pairs apart, and few neighbours").draw(
                     {"rows": rows})


def draw_coverage(found: Atlas) -> Figure:
    """Draw how often all intervals hold with each study's residuals, by size and way."""
    return _by_size(found.coverage, CENTRED, "coverage", "all intervals hold at once [%]", 95,
                    "With real, skewed differences sign flips alone hold too rarely")


def draw_power(found: Atlas) -> Figure:
    """Draw which share of pairs is told apart where a study's own order is true."""
    return _by_size(found.coverage, AS_THEY_ARE, "apart", "pairs told apart [%]", None,
                    "What that costs: pairs told apart with 20 families, hardly any with 150")


def _by_size(table: pd.DataFrame, kind: str, value: str, label: str, line: float | None,
             title: str) -> Figure:
    own = table[(table["kind"] == kind) & table["families"].isin(FAMILIES)
                & table["way"].isin([FLIPS, OURS])]
    flips = own[own["way"] == FLIPS]
    place = flips.groupby("families")[value].rank(method="first").astype(int)
    own = own.merge(flips[["table", "families"]].assign(place=place)).sort_values("families")
    return Chart("own", "points", "place", value, "studies, sorted", label, title, by="way",
                 panel="panel", across=len(FAMILIES), percent=True, reference=line, low="").draw(
                     {"own": own.assign(panel=own["families"].map("{} families".format))})


def draw_card(found: Atlas, study: str) -> Figure:
    """Draw a study's card: how sure is this leaderboard? Its first ten methods' ranks."""
    row = found.studies.set_index("study").loc[study]
    rows = found.ranks[found.ranks["study"] == study]
    words = rows.set_index("method")["words"].str.replace(LONG, r"\1…", regex=True)
    return draw_order(rows, words.get, SHOWN,
                      f"{row['title']}: {row['may_be_first']} may be first, "
                      f"{100 * row['pairs_apart']:.0f} % of pairs apart")


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
