"""The two tables that explain how shapes are judged, and the chapter's facts."""

from collections.abc import Iterable

import pandas as pd

from analysis.shapes import PROCEDURES
from analysis.shapes.procedures import in_words
from analysis.shapes.verdicts import n_pairs, n_triples
from chapters.facts import Facts


def comparisons(anchors: Iterable[int] = (8, 16, 30, 60, 137)) -> pd.DataFrame:
    """Return how many pairs and triples so many anchors make: ``anchors, pairs, triples``."""
    n = pd.Series(list(anchors))
    return pd.DataFrame({"anchors": n, "pairs": n_pairs(n), "triples": n_triples(n)})


def procedures() -> pd.DataFrame:
    """Return what each procedure does, in words: ``procedure, what it does``."""
    return pd.DataFrame([{"procedure": p.name, "what it does": in_words(p)}
                         for p in PROCEDURES.values()])


def facts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the chapter's numbers, from the table of `procedures`."""
    rows = Facts()
    rows.add("n_procedures", len(table))
    return rows.table()
