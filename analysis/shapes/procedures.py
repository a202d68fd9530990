"""The procedures by which shapes are judged, each a set of choices."""

from dataclasses import dataclass
from typing import Literal

from collection.naming import check_known


@dataclass(frozen=True)
class Procedure:
    """Choices that turn repeats into verdicts.

    Attributes
    ----------
    name, title : str
        Key in `PROCEDURES`; in words.
    correction : {"bonferroni", "holm", "holm_published"}
        For the many pairs and triples compared. "bonferroni" tests the largest violation alone and
        multiplies its p by their number (Section 4). "holm" tests all and steps down. The published
        Holm (Appendix I) lacks the running maximum over adjusted p-values, takes identical
        differences for no difference, and reports the violation with the smallest p, which is not
        the largest violation.
    interpolate_lcdb10 : bool
        Whether curves on LCDB 1.0's anchors first go through `published_lcdb10_cube`, which drops
        anchors, interpolates the rest onto LCDB 1.1's grid, and moves them. Otherwise anchors count
        as recorded.
    beyond_rounding : bool
        Whether a violation must exceed what floating-point rounding can cause.
    undefined_counts : bool
        Whether an undefined p-value (differences all exactly 0) lets a violation stand.
    """

    name: str
    title: str
    correction: Literal["bonferroni", "holm", "holm_published"]
    interpolate_lcdb10: bool
    beyond_rounding: bool
    undefined_counts: bool


PROCEDURES = {
    p.name: p
    for p in (
        Procedure("published", "as published", "bonferroni", True, False, True),
        Procedure("corrected", "corrected", "bonferroni", False, True, False),
        Procedure("holm_published", "Holm as published", "holm_published", True, False, True),
        Procedure("holm", "Holm", "holm", False, True, False),
    )
}


def find_procedure(procedure: str | Procedure) -> Procedure:
    """Return the procedure of that name, or the one given; UnknownNameError names close ones."""
    if isinstance(procedure, Procedure):
        return procedure
    check_known("procedure", [procedure], PROCEDURES)
    return PROCEDURES[procedure]
