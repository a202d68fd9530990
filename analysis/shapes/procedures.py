"""The procedures by which shapes are judged, each a set of choices."""

from dataclasses import dataclass
from typing import Literal

from analysis.shapes.significance import TESTS
from collection.project.naming import check_known

AMONG_CURVES = "paired"  # the test whose max-statistic's p-values are compared over curves


@dataclass(frozen=True)
class Procedure:
    """Choices that turn repeats into verdicts.

    Attributes
    ----------
    name, title : str
        Key in `PROCEDURES`; in words.
    test : str
        Which test over the repeats, a name in `analysis.shapes.significance.TESTS`.
    correction : {"bonferroni", "holm", "holm_published", "max_t"}
        For the many pairs and triples compared. "bonferroni" tests the largest violation alone and
        multiplies its p by their number (Section 4). "holm" tests all and steps down. The published
        Holm (Appendix I) lacks the running maximum over adjusted p-values, takes identical
        differences for no difference, and reports the violation with the smallest p, which is not
        the largest violation. "max_t" tests all and steps down against the maxima that sign flips
        of the repeats make (`analysis.shapes.max_t`); with the test "outer_means", of the outer
        seeds' means.
    interpolate_lcdb10 : bool
        Whether curves on LCDB 1.0's anchors first go through `published_lcdb10_cube`, which drops
        anchors, interpolates the rest onto LCDB 1.1's grid, and moves them. Otherwise anchors count
        as recorded.
    beyond_rounding : bool
        Whether a violation must exceed what floating-point rounding can cause.
    undefined_counts : bool
        Whether an undefined p-value (differences all exactly 0) lets a violation stand.
    across : {"", "bh", "by", "e_bh"}
        Correction over all curves of a database, each with its p-value (`analysis.shapes
        .discoveries`); none: each curve is judged alone.
    """

    name: str
    title: str
    correction: Literal["bonferroni", "holm", "holm_published", "max_t"]
    interpolate_lcdb10: bool
    beyond_rounding: bool
    undefined_counts: bool
    test: str = "paired"
    across: Literal["", "bh", "by", "e_bh"] = ""


def _trusting(name: str, title: str, **choices: str) -> Procedure:
    """Return a procedure that does as "corrected" but for the choices named."""
    return Procedure(name, title, **({"correction": "bonferroni"} | choices),
                     interpolate_lcdb10=False, beyond_rounding=True, undefined_counts=False)


PROCEDURES = {
    p.name: p
    for p in (
        Procedure("published", "as published", "bonferroni", True, False, True),
        _trusting("corrected", "corrected"),
        Procedure("holm_published", "Holm as published", "holm_published", True, False, True),
        _trusting("holm", "Holm", correction="holm"),
        *(_trusting(test.name, test.title, test=test.name)
          for test in TESTS.values() if test.name != "paired"),
        _trusting("max_t", "max-statistic, repeats flipped", correction="max_t"),
        _trusting("max_t_outer", "max-statistic, outer seeds flipped", correction="max_t",
                  test="outer_means"),
        _trusting("max_t_wide", "max-statistic, a twentieth shared", correction="max_t",
                  test="shared"),
        _trusting("max_t_population", "max-statistic, Nadeau and Bengio", correction="max_t",
                  test="nadeau_bengio"),
        *(_trusting(name, title, correction="max_t", test=AMONG_CURVES, across=name)
          for name, title in (("bh", "Benjamini and Hochberg"), ("by", "Benjamini and Yekutieli"),
                              ("e_bh", "e-values, e-BH"))),
    )
}


#: How each correction goes about many comparisons, in words.
CORRECTIONS = {
    "bonferroni": "tests the largest violation, p times the number of pairs or triples",
    "holm": "tests all pairs and triples, and steps down (Holm)",
    "holm_published": "tests all; Holm without the running maximum",
    "max_t": "tests all against the maxima that sign flips make",
}


def in_words(procedure: Procedure) -> str:
    """Return what a procedure does, in a sentence without its end."""
    parts = [f"{TESTS[procedure.test].title}; {CORRECTIONS[procedure.correction]}"]
    parts += ["over all curves: " + procedure.title] if procedure.across else []
    parts += ["LCDB 1.0 interpolated as published"] if procedure.interpolate_lcdb10 else []
    parts += [] if procedure.beyond_rounding else ["rounding counts"]
    return "; ".join(parts)


def find_procedure(procedure: str | Procedure) -> Procedure:
    """Return the procedure of that name, or the one given; UnknownNameError names close ones."""
    if isinstance(procedure, Procedure):
        return procedure
    check_known("procedure", [procedure], PROCEDURES)
    return PROCEDURES[procedure]
