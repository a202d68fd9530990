"""Facts that a page cites from other chapters: what was found, each number once in the book.

A finding names facts of chapters; their numbers are read from ``results/<chapter>/numbers.csv``,
which the chapters write, so that two pages never say two numbers of one thing.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.published.computed import recall
from analysis.published.printed import FULL, LCDB10, like_for_like, printed_shares, published_table
from chapters.facts import COLUMNS, Facts, as_facts, read_facts
from collection.project.naming import check_known
from collection.project.paths import RESULTS

FEW = 3  # learners that are to be responsible


@dataclass(frozen=True)
class Cited:
    """A fact of a chapter.

    Attributes
    ----------
    name : str
        By which the citing page's sentences name it.
    chapter, key : str
        Whose it is, and its key there.
    """

    name: str
    chapter: str
    key: str


#: What the first page and *What was found?* tell, by finding.
FINDINGS = {
    "learners": (
        Cited("n_curves", "da1", "n_curves"), Cited("ill_behaved", "da1", "ill_behaved"),
        Cited("others", "da1", "others_share"), Cited("leaders", "da1", "leaders"),
        Cited("leaders_share", "da1", "leaders_share")),
    "software": (Cited("tabnet", "artefacts", "tabnet_at"),
                 Cited("any_other", "artefacts", "others_at")),
    "peaks": (Cited("lda", "closeup", "lda_ratio"),),
    "forecast": (Cited("alone", "extrapolation", "unseen_alone"),
                 Cited("three", "extrapolation", "crps_three"),
                 Cited("new_alone", "extrapolation", "anew_error"),
                 Cited("new_three", "extrapolation", "anew_three")),
    "orders": (Cited("neighbours_few", "order", "neighbours_few"),
               Cited("neighbours_many", "order", "neighbours_many"),
               Cited("pairs", "order", "pairs_share")),
    "rows": (Cited("hundred", "how_many_rows", "fixed_now_100"),
             Cited("thousand", "how_many_rows", "fixed_now_1000")),
}
#: What the paper's claims are held against.
AGAINST_THE_PAPER = (
    Cited("no_tabnet", "artefacts", "no_tabnet"), Cited("replicated", "da1", "replicated"),
    Cited("of_tried", "da1", "of_tried"),
    Cited("standardised", "da2", "overall_standard"), Cited("fits", "da3", "ratio_mono"),
    Cited("races", "da4", "not_two_lcdb11"))


def cite(facts: Iterable[Cited], results: Path = RESULTS) -> pd.DataFrame:
    """Return facts of other chapters as a table of facts.

    Parameters
    ----------
    facts : iterable of Cited
    results : Path
        Where the chapters have written theirs.

    Returns
    -------
    pandas.DataFrame
        As `chapters.facts.Facts.table`, keys being the names that the page gives them, with
        ``chapter`` and ``own_key``.

    Raises
    ------
    FileNotFoundError
        Where a chapter has not been built.
    UnknownNameError
        Where it has no such fact.
    """
    rows = []
    for one in facts:
        files = [results / one.chapter / f"{name}.csv" for name in ("numbers", "facts")]
        file = next(filter(Path.exists, files), None)
        if file is None:
            raise FileNotFoundError(f"results/{one.chapter}/numbers.csv is cited and not there: "
                                    "build the book, whose chapters write it (make book).")
        table = read_facts(file).set_index("key")
        check_known(f"fact of {one.chapter}", [one.key], table.index)
        rows.append({"key": one.name, **table.loc[one.key], "chapter": one.chapter,
                     "own_key": one.key})
    return pd.DataFrame(rows)


def all_cited() -> pd.DataFrame:
    """Return the facts of all findings, as the chapters have written them."""
    return cite([*(fact for facts in FINDINGS.values() for fact in facts), *AGAINST_THE_PAPER])


def findings_facts() -> pd.DataFrame:
    """Return the facts of all findings; where the book is on a reader's curves, as they are kept.

    The findings are about the databases that the book knows, whatever the chapters show.
    """
    return as_facts(recall("cited")) if os.environ.get("DATABASE") else all_cited()


def paper_numbers() -> pd.DataFrame:
    """Return the numbers of the paper's claims, as it prints them, as `Facts.table`."""
    rows, shares = Facts(), printed_shares()
    table4 = published_table("table4").query("property == 'ill_behaved'").set_index(
        ["database", "scaling"])["value"].astype(float)
    text = published_table("text").set_index("property")["value"]
    none = table4[FULL, "none"]
    rows.update({"paper_dense": none, "paper_coarse": table4[LCDB10, "none"]}, unit="%", digits=1,
                note="Table 4")
    rows.add("paper_few", 100 * shares.nlargest(FEW).sum() / shares.sum(), unit="%",
             note=f"of its ill-behaved curves, {FEW} of {len(shares)} learners; Tables 6 to 8")
    rows.add("paper_tabnet", shares["TabNet"], unit="%", digits=1, note="Table 8")
    rows.add("paper_peak", 1, note="rows per feature, Appendix E.4")
    like = like_for_like().set_index(["database", "scaling"])["always_there"][FULL]
    rows.add("paper_standardised", like["standard"] - like["none"], unit="points", digits=1,
             note="Table 8, learners without missing curves")
    rows.add("paper_fits", float(text["mse_ratio_monotone"]), note="times, more than")
    rows.add("paper_races", float(text["not_best_or_second"]), unit="%", note="Appendix G, about")
    return rows.table()


def joined(*tables: pd.DataFrame) -> pd.DataFrame:
    """Return several tables of facts as one; where a fact is from is left out."""
    return pd.DataFrame([row for table in tables for row in table.to_dict("records")])[
        list(COLUMNS)]


#: What is kept for books on other curves.
KEPT = {"cited": all_cited}
