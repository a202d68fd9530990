"""Which of the papers' numbers come out again: one ledger of all papers."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.drawing.style import PALETTE
from analysis.published.computed import recall
from analysis.published.printed import DIFFERENT, NEEDS, published_table
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.ledger import papers
from chapters.ledger.build import NAME, best_known, count_known, ledger_at_hand
from chapters.ledger.published import as_printed
from chapters.ledger.repeats import NOT_FLAT

SHAPES = tuple(shape for shape in NOT_FLAT if shape != "missing")
COLOURS = dict(zip(papers.TOLD, [PALETTE[k] for k in (2, 5, 4, 3, 1)], strict=True))


def compute() -> Study:
    """Build the ledger from the databases at hand, and join what the other chapters checked.

    Returns
    -------
    Study
        Its tables: ``ledger`` of the paper on LCDB 1.1, from `build_ledger`; of all papers
        ``all``, from `all_papers`, counted as ``papers``; and what they are counted and explained
        by.
    """
    ledger, _ = ledger_at_hand()
    together = papers.all_papers(ledger)
    return Study({
        "ledger": ledger, "all": together, "papers": papers.count_papers(together),
        "numbers": count_known(ledger),
        "reasons": papers.reasons(ledger),
        "counterparts": published_table("counterparts").fillna(""),
        "inconsistencies": as_printed("inconsistencies")})


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, counts = Facts(), study.tables["numbers"].set_index("verdict")
    numbers = counts["numbers"]
    rows.update({"numbers": int(numbers.sum()), "known": int(numbers.drop(NEEDS).sum()),
                 "different": int(numbers[DIFFERENT]), "waiting": int(numbers[NEEDS]),
                 "kept": int(counts["kept"].sum())}, note="published numbers, each counted once")
    told = study.tables["papers"].query("standing in @papers.TOLD")
    rows.add("told", int(told["numbers"].sum()), note="numbers and claims of all papers")
    rows.add("come_out", int(told.loc[told["standing"] == papers.TOLD[0], "numbers"].sum()))
    rows.add("kept_on", str(recall(NAME)["computed_on"].max()))
    best = best_known(study.tables["ledger"])
    items = best.index.get_level_values("item").str
    verdicts = best[items.startswith("LCDB 1.1") & items.contains(f": (?:{'|'.join(SHAPES)})")]
    rows.update({"verdicts": len(verdicts), "verdicts_known": int((verdicts != NEEDS).sum())},
                note="numbers on how many curves of LCDB 1.1 have a shape")
    never = best.index[best == DIFFERENT].unique("source")
    rows.add("unexplained_in", " and ".join(sorted(never)) or "none")
    own = told[told["paper"] == "TabRepo"].set_index("standing")["numbers"]
    rows.update({"tabrepo_told": int(own.sum()), "tabrepo_out": int(own.get(papers.TOLD[0], 0))})
    return rows.table()


def draw_papers(study: Study) -> Figure:
    """Draw of each paper how the numbers and claims stand that could be computed."""
    told = study.tables["papers"].query("standing in @papers.TOLD")
    sums = told.groupby("paper")["numbers"].transform("sum")
    rows = told.assign(share=told["numbers"] / sums,
                       paper=told["paper"] + sums.map(" ({:,.0f})".format))
    come_out = told.loc[told["standing"] == papers.TOLD[0], "numbers"].sum() / told["numbers"].sum()
    return Chart("rows", "bars", "share", "paper", "numbers and claims that could be computed [%]",
                 title=f"{100 * come_out:.0f} % of the numbers and claims come out", by="standing",
                 colours=COLOURS, percent=True, height=2.9).draw({"rows": rows})


def shown_papers(study: Study) -> pd.DataFrame:
    """Return the counts as the page shows them, a row per paper."""
    counts = study.tables["papers"]
    wide = counts.pivot(index="paper", columns="standing", values="numbers").fillna(0).astype(int)
    wide = wide.loc[counts["paper"].unique(), counts["standing"].unique()]
    return wide.reset_index().rename_axis(columns=None)


def shown_counterparts(study: Study) -> pd.DataFrame:
    """Return the items of the papers that have the same state here, a row per paper and state."""
    table = study.tables["counterparts"]
    return table.groupby(["paper", "state"], sort=False)["item"].agg(", ".join).reset_index()


chapter = Chapter(
    "ledger", compute, facts, charts={"papers": draw_papers},
    shown={"papers": shown_papers, "counterparts": shown_counterparts,
           "inconsistencies": lambda study: study.tables["inconsistencies"].rename(
               columns=lambda name: name.replace("_", " "))})
