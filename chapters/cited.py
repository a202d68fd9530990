"""Facts that a page cites from other chapters: what was found, each number once in the book.

A finding names facts of chapters; their numbers are read from ``results/<chapter>/facts.csv``,
which the chapters write, so that two pages never say two numbers of one thing.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.published.computed import recall
from chapters.facts import as_facts, read_facts
from collection.project.naming import check_known
from collection.project.paths import RESULTS


@dataclass(frozen=True)
class Cited:
    """A fact of a chapter.

    Attributes
    ----------
    name : str
        By which the citing page's sentences name it.
    chapter, key : str
        Whose it is, and its key there.
    label : str
        At its dot in the finding's figure; without one, it is told only.
    """

    name: str
    chapter: str
    key: str
    label: str = ""


@dataclass(frozen=True)
class Finding:
    """Facts that answer one question, and the unit of their figure."""

    name: str
    unit: str
    facts: tuple[Cited, ...]
    reference: float = 0.0


FINDINGS = (
    Finding("shares", "ill-behaved curves [%]", (
        Cited("n_curves", "da1", "n_curves"),
        Cited("ill_behaved", "da1", "ill_behaved", "all curves"),
        Cited("others", "da1", "others_share", "without the three leading learners"),
        Cited("leaders", "da1", "leaders"),
        Cited("leaders_share", "da1", "leaders_share"))),
    Finding("software", "curves that fall most at 1,024 rows [%]", (
        Cited("tabnet", "artefacts", "tabnet_at", "TabNet"),
        Cited("any_other", "artefacts", "others_at", "any other learner, at most"))),
    Finding("peaks", "rows per feature at the peak, median", (
        Cited("lda", "closeup", "lda_ratio", "linear discriminant"),), 1.0),
    Finding("forecast", "error, times that of the rival", (
        Cited("new_datasets", "extrapolation", "new_datasets", "new datasets, best formula"),
        Cited("new_stays", "extrapolation", "new_datasets_stays", "new datasets, nothing changes"),
        Cited("new_learners", "extrapolation", "new_learners", "new learners, best formula")),
        1.0),
    Finding("orders", "share that differs significantly [%]", (
        Cited("n_studies", "order", "n_studies"),
        Cited("neighbours", "order", "neighbours_share", "neighbours in a leaderboard"),
        Cited("pairs", "order", "pairs_share", "all pairs, median study"))),
    Finding("rows", "problems on which a forest is ahead [%]", (
        Cited("hundred", "how_many_rows", "fixed_now_100", "100 rows"),
        Cited("thousand", "how_many_rows", "fixed_now_1000", "1,000 rows"))),
)


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
        file = results / one.chapter / "facts.csv"
        if not file.exists():
            raise FileNotFoundError(f"results/{one.chapter}/facts.csv is cited and not there: "
                                    "build the book, whose chapters write it (make book).")
        table = read_facts(file).set_index("key")
        check_known(f"fact of {one.chapter}", [one.key], table.index)
        rows.append({"key": one.name, **table.loc[one.key], "chapter": one.chapter,
                     "own_key": one.key})
    return pd.DataFrame(rows)


def all_cited() -> pd.DataFrame:
    """Return the facts of all findings, as the chapters have written them."""
    return cite(fact for finding in FINDINGS for fact in finding.facts)


def findings_facts() -> pd.DataFrame:
    """Return the facts of all findings; where the book is on a reader's curves, as they are kept.

    The findings are about the databases that the book knows, whatever the chapters show.
    """
    return as_facts(recall("cited")) if os.environ.get("DATABASE") else all_cited()


#: What is kept for books on other curves.
KEPT = {"cited": all_cited}


def draw_finding(finding: Finding, table: pd.DataFrame) -> Figure:
    """Draw a finding's numbers as dots with their intervals.

    Parameters
    ----------
    finding : Finding
    table : pandas.DataFrame
        From `cite`, its facts among others.
    """
    labels = {one.name: one.label for one in finding.facts if one.label}
    own = table.set_index("key").loc[list(labels)].reset_index()
    own = own.assign(label=own["key"].map(labels), value=own["value"].astype(float))
    return Chart("own", "dots", "value", "label", finding.unit,
                 reference=finding.reference).draw({"own": own})
