"""One ledger of all papers: every published number or claim, ours beside it, equal or why not.

The paper on LCDB 1.1 is checked here (`analysis.ledger.build`). The others are checked by the
chapters that rebuild them, whose files of results are read.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analysis.published.printed import CLOSE, DIFFERENT, EQUAL, NEEDS, OUTSIDE, WITHIN
from collection.project.paths import RESULTS

COLUMNS = ["paper", "source", "item", "published", "ours", "verdict", "reason"]
OWN = "LCDB 1.1"
#: What each verdict of a chapter says in the ledger of all papers.
STANDING = {
    EQUAL: "reproduced", "holds": "reproduced", CLOSE: "nearly", "holds in part": "in part",
    "only by the paper's own way": "in part", "undecided": "undecided", DIFFERENT: "not reproduced",
    "does not hold": "not reproduced",
    WITHIN: "within an estimate", OUTSIDE: "beyond an estimate", NEEDS: "cannot be told here",
    "not testable": "cannot be told here", "not checkable here": "cannot be told here"}
TOLD = ("reproduced", "nearly", "in part", "undecided", "not reproduced")
ESTIMATED = (STANDING[WITHIN], STANDING[OUTSIDE])


class Checked(NamedTuple):
    """Where a paper's numbers are checked.

    Attributes
    ----------
    file : str
        Below ``results/``, with a column ``verdict``.
    item : tuple of str
        Its columns that name what was published.
    named : mapping of str to str
        Its columns that are among `COLUMNS` by another name → that.
    """

    file: str
    item: tuple[str, ...]
    named: Mapping[str, str] = {}


PAPERS = {
    "OpenML benchmarking suites": Checked("cc18/published.csv", ("item", "quantity"),
                                          {"place": "source"}),
    "PMLBmini": Checked("small_data/claims.csv", ("claim",),
                        {"computed": "ours", "otherwise": "reason"}),
    "TabRepo": Checked("repository/claims.csv", ("claim",), {"evidence": "ours", "data": "reason"}),
    "Forecasts of curves": Checked("extrapolation/published.csv", ("item",))}


def all_papers(ledger: pd.DataFrame, results: Path = RESULTS,
               papers: Iterable[str] = tuple(PAPERS)) -> pd.DataFrame:
    """Return one ledger, a row per number or claim and way of computing it.

    Parameters
    ----------
    ledger : pandas.DataFrame
        Of the paper on LCDB 1.1, from `build_ledger`.
    results : Path
        Where the other chapters' files lie.
    papers : iterable of str
        Of `PAPERS`, those to join, whose chapters have been built.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`, all text, and ``standing``, one of `STANDING`'s words.

    Raises
    ------
    ValueError
        For a verdict that `STANDING` does not have.
    """
    parts = [ledger.rename(columns={"computed": "ours"}).assign(paper=OWN)]
    for paper in papers:
        file, item, named = PAPERS[paper]
        table = pd.read_csv(results / file, dtype=str, keep_default_na=False)
        parts.append(table.rename(columns=named).assign(
            paper=paper, item=table[list(item)].agg(", ".join, axis=1)))
    together = pd.concat(parts, ignore_index=True)
    unknown = sorted(set(together["verdict"]) - set(STANDING))
    if unknown:
        raise ValueError(f"Verdicts that the ledger does not know: {', '.join(unknown)}. "
                         "Enter them in STANDING of analysis/ledger/papers.py.")
    return together.reindex(columns=COLUMNS).fillna("").astype(str).assign(
        standing=together["verdict"].map(STANDING))


def count_papers(together: pd.DataFrame) -> pd.DataFrame:
    """Count each paper's numbers and claims by how they stand, each once, by its best standing.

    Parameters
    ----------
    together : pandas.DataFrame
        From `all_papers`.

    Returns
    -------
    pandas.DataFrame
        ``paper, standing, numbers``.
    """
    order = [*TOLD[:-1], ESTIMATED[0], TOLD[-1], ESTIMATED[1], STANDING[NEEDS]]
    best = together["standing"].map(order.index).groupby(
        [together["paper"], together["source"], together["item"]]).min()
    counts = best.groupby("paper").value_counts().rename("numbers").reset_index()
    counts = counts.assign(at=counts["paper"].map([OWN, *PAPERS].index)).sort_values(
        ["at", "standing"], ignore_index=True)
    return counts.assign(standing=counts["standing"].map(order.__getitem__)).drop(columns="at")


def reasons(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return why computed numbers differ: ``reason``, ``rows`` (how many)."""
    different = ledger.loc[ledger["verdict"].isin([CLOSE, DIFFERENT]), "reason"]
    return different.value_counts(sort=False).rename("rows").reset_index()


def calibrated(kept: pd.DataFrame) -> pd.DataFrame:
    """Sum up how verdicts by means differ from those by repeats, over the sets they were held on.

    Parameters
    ----------
    kept : pandas.DataFrame
        As `lab.from_means.calibration` returns it.

    Returns
    -------
    pandas.DataFrame
        A row per ``verdict``: ``curves``, percent ``by_repeats`` and ``by_means``, ``difference``,
        ``least`` and ``most`` (ends of the sets' intervals), ``cells`` and ``covered``.
    """
    of = kept["curves"] / kept.groupby("verdict")["curves"].transform("sum")
    shares = ["by_repeats", "by_means", "difference"]
    groups = kept.assign(**kept[shares].mul(of, axis=0)).groupby("verdict", sort=False)
    return groups.agg(curves=("curves", "sum"), **{name: (name, "sum") for name in shares},
                      least=("low", "min"), most=("high", "max"), cells=("cells", "sum"),
                      covered=("covered", "sum")).reset_index()
