"""What the book found, in five minutes: the paper's claims beside ours, and six findings."""

from collections.abc import Callable

import pandas as pd

from chapters.chapter import Chapter
from chapters.cited import findings_facts, joined, paper_numbers
from chapters.facts import Facts

HOLDS, IN_PART, FAILS = "holds", "in part", "does not"


def _within(number: float, fact: pd.Series) -> bool:
    return fact["low"] <= number <= fact["high"]


#: Whether each claim holds, by the paper's number of the same name and our fact.
CLAIMS: dict[str, tuple[str, Callable[[float, pd.Series], str]]] = {
    "dense": ("no_tabnet", lambda paper, ours: IN_PART if ours["value"] < paper else HOLDS),
    "coarse": ("ill_behaved", lambda paper, ours: HOLDS if _within(paper, ours) else IN_PART),
    "few": ("leaders_share", lambda paper, ours: HOLDS if ours["high"] >= paper else IN_PART),
    "tabnet": ("tabnet", lambda paper, ours: FAILS if ours["low"] > 50 else HOLDS),
    "peak": ("lda", lambda paper, ours: HOLDS if _within(paper, ours) else FAILS),
    "standardised": ("standardised",
                     lambda paper, ours: HOLDS if _within(paper, ours) else IN_PART),
    "fits": ("fits", lambda paper, ours: HOLDS if ours["low"] > paper else
             IN_PART if ours["low"] > 1 else FAILS),
    "races": ("races", lambda paper, ours: HOLDS if _within(paper, ours) else IN_PART),
}


def facts(cited: pd.DataFrame) -> pd.DataFrame:
    """Return what other chapters found, the paper's numbers, and whether its claims hold."""
    paper, ours = paper_numbers(), cited.set_index("key")
    printed = paper.set_index("key")["value"]
    verdicts = Facts()
    for claim, (name, judge) in CLAIMS.items():
        verdicts.add(f"holds_{claim}", judge(printed[f"paper_{claim}"], ours.loc[name]))
    return joined(cited, paper, verdicts.table())


chapter = Chapter("findings", findings_facts, lambda table: {"findings": table}, facts)
