"""What the book found, in five minutes: the paper's claims beside ours, and six findings."""

from collections.abc import Callable

import pandas as pd

from chapters.chapter import Chapter, Study
from chapters.cited import findings_facts, joined, paper_numbers
from chapters.facts import Facts

HOLDS, IN_PART, OPEN = "holds", "in part", "not settled"


def _within(number: float, fact: pd.Series) -> bool:
    return fact["low"] <= number <= fact["high"]


#: Of each claim: our fact, when it holds by it and the paper's number, and what is said otherwise.
CLAIMS: dict[str, tuple[str, Callable[[float, pd.Series], bool], str]] = {
    "dense": ("no_tabnet", lambda paper, ours: ours["value"] >= paper, IN_PART),
    "coarse": ("of_tried", _within, IN_PART),
    "few": ("leaders_share", lambda paper, ours: ours["high"] >= paper, IN_PART),
    "tabnet": ("tabnet", lambda _, ours: ours["low"] > 50, IN_PART),  # at one default's size
    "peak": ("lda", _within, IN_PART),
    "standardised": ("standardised", _within, IN_PART),
    "fits": ("fits", lambda paper, ours: ours["low"] > paper, IN_PART),
    "races": ("races", _within, OPEN)}


def compute() -> Study:
    """Read what is cited of other chapters."""
    return Study({"findings": findings_facts()})


def facts(study: Study) -> pd.DataFrame:
    """Return what other chapters found, the paper's numbers, and whether its claims hold."""
    cited, paper, verdicts = study.tables["findings"], paper_numbers(), Facts()
    ours = cited.set_index("key")
    printed = paper.set_index("key")["value"]
    for claim, (name, holds, otherwise) in CLAIMS.items():
        held = holds(printed[f"paper_{claim}"], ours.loc[name])
        verdicts.add(f"holds_{claim}", HOLDS if held else otherwise)
    told = verdicts.table()["value"]
    verdicts.update({f"n_{key}": int((told == words).sum()) for key, words in (
        ("hold", HOLDS), ("in_part", IN_PART), ("open", OPEN))})
    return joined(cited, paper, verdicts.table())


chapter = Chapter("findings", compute, facts)
