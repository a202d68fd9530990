"""Which of the papers' numbers come out again: one ledger of all papers."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.drawing.style import PALETTE
from analysis.published.computed import recall
from analysis.published.printed import CLOSE, DIFFERENT, EQUAL, NEEDS, published_table
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.ledger.build import NAME, best_known, count_known, count_verdicts, ledger_at_hand
from chapters.ledger.papers import (
    TOLD,
    all_papers,
    chapter_titles,
    count_papers,
    reasons,
)
from chapters.ledger.published import as_printed

COLOURS = dict(zip(TOLD, (PALETTE[2], PALETTE[5], PALETTE[4], PALETTE[3], PALETTE[1]), strict=True))


@dataclass(frozen=True)
class Study:
    """The ledgers.

    Attributes
    ----------
    ledger : pandas.DataFrame
        Of the paper on LCDB 1.1, from `build_ledger`.
    together, papers : pandas.DataFrame
        Of all papers, from `all_papers`, and counted by `count_papers`.
    """

    ledger: pd.DataFrame
    together: pd.DataFrame
    papers: pd.DataFrame


def compute() -> Study:
    """Build the ledger from the databases at hand, and join what the other chapters checked."""
    ledger, _ = ledger_at_hand()
    together = all_papers(ledger)
    return Study(ledger, together, count_papers(together, count_known(ledger)))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the ledgers, and what they are counted and explained by."""
    return {"ledger": study.ledger, "all": study.together, "papers": study.papers,
            "counts": count_verdicts(study.ledger).reset_index(),
            "numbers": count_known(study.ledger), "reasons": reasons(study.ledger),
            "counterparts": published_table("counterparts").fillna(""),
            "inconsistencies": as_printed("inconsistencies")}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, counts = Facts(), count_known(study.ledger).set_index("verdict")
    numbers = counts["numbers"]
    rows.update({"numbers": int(numbers.sum()), "known": int(numbers.drop(NEEDS).sum()),
                 "equal": int(numbers[EQUAL]), "close": int(numbers[CLOSE]),
                 "different": int(numbers[DIFFERENT]), "waiting": int(numbers[NEEDS]),
                 "kept": int(counts["kept"].sum())}, note="published numbers, each counted once")
    told = study.papers[study.papers["standing"].isin(TOLD)]
    rows.add("told", int(told["numbers"].sum()), note="numbers and claims of all papers")
    rows.add("come_out", int(told.loc[told["standing"] == TOLD[0], "numbers"].sum()))
    rows.add("kept_on", str(recall(NAME)["computed_on"].max()))
    best = best_known(study.ledger)
    never = best.index[best == DIFFERENT].unique("source")
    rows.add("unexplained_in", ", ".join(sorted(never)) or "none")
    return rows.table()


def draw_papers(study: Study) -> Figure:
    """Draw of each paper how the numbers and claims stand that could be computed."""
    told = study.papers[study.papers["standing"].isin(TOLD)]
    sums = told.groupby("paper")["numbers"].transform("sum")
    rows = told.assign(share=told["numbers"] / sums,
                       paper=told["paper"] + sums.map(" ({:,.0f})".format))
    return Chart("rows", "bars", "share", "paper", "numbers and claims that could be computed [%]",
                 by="standing", colours=COLOURS, percent=True, height=2.9).draw({"rows": rows})


def shown_papers(study: Study) -> pd.DataFrame:
    """Return the counts as the page shows them, a row per paper."""
    wide = study.papers.pivot(index="paper", columns="standing", values="numbers").fillna(0)
    order = [n for n in study.papers["standing"].drop_duplicates() if n in wide]
    wide = wide.reindex(study.papers["paper"].drop_duplicates())[order].astype(int)
    return wide.reset_index().rename_axis(columns=None)


def shown_counterparts(study: Study) -> pd.DataFrame:
    """Return the items of the paper with the titles of their chapters."""
    table = published_table("counterparts").fillna("")
    return table.assign(chapter=table["chapter"].map(chapter_titles))


chapter = Chapter(
    "ledger", compute, tables, facts, charts={"papers": draw_papers},
    shown={"papers": shown_papers, "counterparts": shown_counterparts,
           "inconsistencies": lambda _: as_printed("inconsistencies").rename(
               columns=lambda name: name.replace("_", " "))})
