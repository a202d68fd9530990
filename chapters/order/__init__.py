"""What an order is worth: the atlas of studies, and the simulation behind the intervals."""

import html
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.leaderboards.order_page import draw_order
from analysis.published.computed import recall
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.summary import as_number
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.order import atlas
from chapters.order.coverage import AS_THEY_ARE, CENTRED, FAMILIES, MANY, TWINS, simulate_coverage
from chapters.order.replications import compare_replications
from chapters.order.reruns import judge_reruns
from chapters.order.sources import SHIPPED
from chapters.order.ways import FLIPS, NO_TWINS, OURS
from collection.project.paths import RESULTS

SHARE = {"value": "coverage", "n": "tables", "scale": 100, "unit": "%"}  # as facts tell it
HINTED = "near-twins as hinted"
SHOWN = 10  # methods on a card
LEADERBOARD = "talent"  # the one that is drawn: most tasks, all its methods on the same
FEW = 8  # methods of a short leaderboard
LONG = r"^(.{27}).{2,}$"  # names, of which the beginning is shown
KEPT_STUDIES = tuple(n for n in atlas.STUDIES if n not in SHIPPED and not n.startswith("own"))
PARTS: dict[str, Callable[[str], pd.DataFrame]] = {
    "order_studies": atlas.summary_of, "order_ranks": atlas.ranks_of,
    "order_claims": atlas.claims_of}


def _kept(compute: Callable[[str], pd.DataFrame]) -> Callable[[], pd.DataFrame]:
    def table() -> pd.DataFrame:
        return pd.concat([rows.assign(study=name) for name in KEPT_STUDIES
                          if len(rows := compute(name))], ignore_index=True)
    return table


#: What a fresh clone cannot compute, or not in the time of a build.
KEPT: dict[str, Callable[[], pd.DataFrame]] = {
    **{name: _kept(compute) for name, compute in PARTS.items()},
    "order_coverage": simulate_coverage, "order_reruns": judge_reruns}


def compute() -> Study:
    """Return all tables: what is at hand computed, the rest as kept.

    See `chapters.order.atlas`, `replications` and `coverage`; ``fields`` are the studies summed up.
    """
    parts = {name: atlas.for_all(compute, name) for name, compute in PARTS.items()}
    studies = parts["order_studies"]
    return Study({
        "studies": studies, "ranks": parts["order_ranks"],
        "claims": atlas.claims_in_two(parts["order_claims"]),
        "replications": compare_replications(), "coverage": recall("order_coverage"),
        "reruns": recall("order_reruns"), "fields": fields(studies)})


def fields(studies: pd.DataFrame) -> pd.DataFrame:
    """Return what a field's studies can tell: the median over them, and their number."""
    by = studies.groupby("field", sort=False)
    return by.agg(studies=("study", "size"), methods=("methods", "median"),
                  families=("families", "median"), pairs_apart=("pairs_apart", "median"),
                  neighbours=("neighbours", "sum"), neighbours_apart=("neighbours_apart", "sum"),
                  may_be_first=("may_be_first", "median"),
                  tasks_needed=("tasks_needed", "median")).reset_index()


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter; see `chapters.facts.Facts`."""
    rows, made = Facts(), found.tables
    studies = made["studies"].set_index("study")
    rows.add("neighbours", int(studies["neighbours"].sum()), note="over all studies")
    rows.add("neighbours_share", 100 * studies["neighbours_apart"].sum()
             / studies["neighbours"].sum(), unit="%", n=int(studies["neighbours"].sum()))
    for key, part in (("few", studies.query("methods <= @FEW")),
                      ("many", studies.query("methods > @FEW"))):
        apart, of = part["neighbours_apart"].to_numpy(), part["neighbours"].to_numpy()
        rows.add(f"neighbours_{key}", 100 * apart.sum() / of.sum(), *(
            100 * float(end) for end in ratio_of_sums_interval(apart, of, None)), unit="%",
            digits=int(key == "many"), n=int(of.sum()), note=f"{apart.sum()}; studies resampled")
    for key, some in (("settings", studies.index == "lightgbm_configs"),
                      ("own", studies.index.str.startswith("own"))):
        rows.add(f"neighbours_{key}", int(studies.loc[some, "neighbours"].sum()))
    rows.add("pairs_share", 100 * studies["pairs_apart"].median(), unit="%", n=len(studies),
             note="the median study")
    several = studies.query("methods > 2")["may_be_first"]
    rows.add("alone_first", f"{(several == 1).sum()} of the {len(several)}")
    rows.add("seeds_least", 100 * studies["seeds_share"].min(), n=studies["seeds_share"].count())
    rows.add("seeds_most", 100 * studies["seeds_share"].max(), unit="%")
    verdicts = made["claims"]["verdict"].value_counts()
    rows.add("n_claims", len(made["claims"]), note="pairs that two independent studies have")
    for key, verdict in (("stand", "stands"), ("reverse", "reverses")):
        rows.add(f"claims_{key}", int(verdicts.get(verdict, 0)) or "none")
    _replications(rows, found)
    _coverage(rows, made["coverage"])
    drawn = made["reruns"].query("reruns == 'drawn'")
    rerun = {"value": "differs", "n": "n", "scale": 100, "unit": "%"}
    rows.row("rerun_alarms", drawn.loc[drawn["differs"].where(drawn["gap"] == 0).idxmax()], **rerun,
             note="reruns as far off as stored ones, the most over sizes")
    rows.row("rerun_large", drawn.query("gap == 0.5 and tasks == 20").iloc[0], **rerun,
             note="0.5 points on each of 20 tasks")
    return rows.table()


def _replications(rows: Facts, found: Study) -> None:
    again = found.tables["replications"]
    for key in ("agree", "agree_sure"):
        n = again["comparisons" if key == "agree" else "sure"]
        rows.add(f"reruns_{key}", 100 * np.average(again[key].fillna(0), weights=n), unit="%",
                 n=int(n.sum()), note="comparisons of two methods on a shared task")
    pairs = again["methods"] * (again["methods"] - 1) / 2
    held = again["held_elsewhere"].dropna() * pairs
    rows.add("reruns_held_elsewhere", f"{held.sum():.0f} of {pairs[held.notna()].sum():.0f}")


def _coverage(rows: Facts, table: pd.DataFrame) -> None:
    judged = table[table["kind"] == CENTRED]
    equal = judged[judged["methods"] <= MANY]
    many = judged[(judged["methods"] > MANY) & (judged["way"] == OURS)]
    least = many.loc[many["coverage"].idxmin()]
    rows.row("many_least", least, **SHARE, note=f"{least['table']}, 50 families")
    aside = judged[(judged["way"] == NO_TWINS) & (judged["table"] == least["table"])].iloc[0]
    rows.row("many_aside", aside, **SHARE,
             note="there, pairs that stand alike on 9 of 10 families aside")
    for key, way in (("ours", OURS), ("flips", FLIPS)):
        own = equal[(equal["families"] == FAMILIES[0]) & (equal["way"] == way)]
        least = own.loc[own["coverage"].idxmin()]
        rows.row(f"{key}_least", least, **SHARE, note=least["table"])
        power = table[(table["kind"] == AS_THEY_ARE) & (table["way"] == way)]
        for families in FAMILIES[::2]:
            own = power.loc[power["families"] == families, "apart"]
            rows.add(f"{key}_power_{families}", 100 * own.median(), unit="%", n=len(own),
                     note="pairs that differ significantly, the median study")
    judged = judged[judged["way"] == OURS]
    rows.add("judged", len(judged), note="studies and sizes")
    rows.add("judged_95", int((judged["coverage"] >= 0.95).sum()))
    made = table[table["table"].str.startswith("made")]
    for key, way in (("ours", OURS), ("worst", "missing as worst")):
        bad = made[(made["kind"] == "missing because bad") & (made["way"] == way)]
        rows.row(f"because_bad_{key}", bad.loc[bad["coverage"].idxmin()], **SHARE,
                 note="the least over sizes")
    twins = made[made["kind"] == TWINS].set_index(["methods", "way"])
    for key, methods, way in (("alone", 20, OURS), ("hinted", 20, HINTED),
                              ("hinted_few", 5, HINTED)):
        rows.row(f"twins_{key}", twins.loc[(methods, way)], **SHARE,
                 note=f"ten groups of five, {methods} methods")
    made = made[~made["kind"].isin(["missing because bad", TWINS])]
    for key, way in (("naive", "bootstrap of ranks"), ("families", "families ignored"),
                     ("worst", "missing as worst")):
        rows.add(f"coverage_{key}", 100 * made.loc[made["way"] == way, "coverage"].min(),
                 unit="%", note="the least over kinds and sizes")


def shown_studies(found: Study) -> pd.DataFrame:
    """Return the table of studies as the chapter shows it: the twelve with the most tasks."""
    table = found.tables["studies"].sort_values("families", ascending=False, kind="stable").head(12)
    return pd.DataFrame({
        "study": table["title"], "methods": table["methods"],
        "families of tasks": table["families"], **_apart(table),
        "may be first": table["may_be_first"],
        "families needed": [as_number(x, 0) for x in table["tasks_needed"]],
        "to know of it": table["weak"].fillna("")})


def shown_fields(found: Study) -> pd.DataFrame:
    """Return the table of fields as the chapter shows it."""
    table = found.tables["fields"]
    return pd.DataFrame({
        "field": table["field"], "studies": table["studies"], **_apart(table),
        "may be first": [as_number(x, 0) for x in table["may_be_first"]],
        "families needed": [as_number(x, 0) for x in table["tasks_needed"]]})


def _apart(table: pd.DataFrame) -> dict[str, list[str]]:
    return {"pairs apart": [as_number(100 * x, 0, "%") for x in table["pairs_apart"]],
            "neighbours apart": [f"{a} of {n}" for a, n in zip(
                table["neighbours_apart"], table["neighbours"], strict=True)]}


def shown_replications(found: Study) -> pd.DataFrame:
    """Return the table of reruns as the chapter shows it."""
    titles = {name: one.title for name, one in atlas.STUDIES.items()}
    table = found.tables["replications"].sort_values("comparisons", ascending=False, kind="stable")
    return pd.DataFrame({
        "one": table["one"].map(titles), "other": table["other"].map(titles),
        "methods": table["methods"], "tasks": table["tasks"], "comparisons": table["comparisons"],
        "agree": [as_number(100 * x, 0, "%") for x in table["agree"]],
        "where both are sure": [as_number(100 * x, 0, "%") for x in table["agree_sure"]]})


def draw_fields(found: Study) -> Figure:
    """Draw which share of pairs and of neighbours differ significantly in each study, by field."""
    studies = found.tables["studies"]
    table = studies.sort_values("pairs_apart", ascending=False)
    table["field"] = pd.Categorical(table["field"], studies["field"].drop_duplicates())
    table = table.sort_values("field", kind="stable")
    table = table.assign(title=table["title"] + table["families"].map(" ({})".format))
    neighbours = table["neighbours_apart"] / table["neighbours"]
    rows = pd.concat([table.assign(of="all pairs", share=table["pairs_apart"], low=neighbours,
                                   high=table["pairs_apart"]),
                      table.assign(of="neighbours", share=neighbours)])
    return Chart("rows", "dots", "share", "title", "share that differs significantly [%]", by="of",
                 apart=False, percent=True, height=4.6,
                 title="Many pairs differ significantly, few neighbours do").draw(
                     {"rows": rows})


def draw_coverage(found: Study) -> Figure:
    """Draw how often all intervals hold with each study's residuals, by size and way."""
    return _by_size(found.tables["coverage"], CENTRED, "coverage",
                    "all intervals hold at once [%]", 95,
                    "With real, skewed differences sign flips alone hold too rarely")


def draw_power(found: Study) -> Figure:
    """Draw which share of pairs differs significantly where a study's own order is true."""
    return _by_size(found.tables["coverage"], AS_THEY_ARE, "apart", "pairs that differ [%]", None,
                    "That costs pairs with 20 families of tasks, hardly any with 150")


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


def draw_card(found: Study, study: str) -> Figure:
    """Draw a study's card: how sure is this leaderboard? Its first ten methods' ranks."""
    made = found.tables
    row = made["studies"].set_index("study").loc[study]
    rows = made["ranks"].query("study == @study")
    words = rows.set_index("method")["words"].str.replace(LONG, r"\1…", regex=True)
    return draw_order(rows, words.get, SHOWN,
                      f"{row['title']}: {row['may_be_first']} may be first, "
                      f"{100 * row['pairs_apart']:.0f} % of pairs differ")


def show_cards(found: Study) -> HTML:
    """Write every study's card to ``results/order/cards/``, with a page of all; link them."""
    folder = RESULTS / "order" / "cards"
    folder.mkdir(parents=True, exist_ok=True)
    titles = {name: html.escape(atlas.STUDIES[name].title)
              for name in found.tables["studies"]["study"]}
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


chapter = Chapter("order", compute, facts, charts={
    "leaderboard": lambda found: draw_card(found, LEADERBOARD), "fields": draw_fields,
    "coverage": draw_coverage, "power": draw_power,
}, shown={"studies": shown_studies, "fields": shown_fields, "replications": shown_replications})
