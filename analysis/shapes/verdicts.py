"""Verdicts from the largest violations: one test each, Bonferroni-corrected (Section 4).

The paper's test is the paired t-test; those of `analysis.shapes.significance` stand beside it.
"""

from typing import NamedTuple

import numpy as np

from analysis.shapes import violations
from analysis.shapes.curves import Curves
from analysis.shapes.procedures import Procedure
from analysis.shapes.significance import ALPHA, TESTS, TTest, bulge, repeats_at

#: The verdicts on a curve, with words for a page; the order in which tables list them.
SHAPE_LABELS = {
    "missing": "missing",
    "flat": "flat",
    "non_monotone": "non-monotone",
    "non_convex": "non-convex",
    "ill_behaved": "ill-behaved",
    "peaking": "peaking",
    "dipping": "dipping",
}
VERDICTS = tuple(SHAPE_LABELS)


class Finding(NamedTuple):
    """What was found of one kind of violation in each curve.

    Attributes
    ----------
    violation : Violation
        Size and place.
    p : ndarray of float, shape (n_curves,)
        Corrected for the number of comparisons, at most 1; NaN where nothing was tested or the
        test is undefined.
    stands : ndarray of bool, shape (n_curves,)
        The verdict.
    rejected : ndarray of int, shape (n_curves,), or None
        How many hypotheses Holm rejects; None where only one is tested.
    """

    violation: violations.Violation
    p: np.ndarray
    stands: np.ndarray
    rejected: np.ndarray | None = None


def n_pairs(counts: np.ndarray) -> np.ndarray:
    """Return the number of pairs among so many anchors."""
    return counts * (counts - 1) // 2


def n_triples(counts: np.ndarray) -> np.ndarray:
    """Return the number of triples among so many anchors."""
    return counts * (counts - 1) * (counts - 2) // 6


def tolerance_of(curves: Curves, procedure: Procedure) -> np.ndarray:
    """Return what a violation must exceed, one number per curve."""
    return curves.rounding if procedure.beyond_rounding else np.zeros(len(curves))


def largest_violations(curves: Curves, tolerance: np.ndarray) -> dict[str, violations.Violation]:
    """Return the largest violations ``mono``, ``conv`` and ``dip`` of each curve."""
    return {"mono": violations.largest_increase(curves.means, tolerance),
            "conv": violations.largest_bulge(curves, tolerance),
            "dip": violations.largest_final_increase(curves.means, curves.counts, tolerance)}


def judge_largest(curves: Curves, procedure: Procedure) -> dict[str, Finding]:
    """Test the largest violations; return findings ``mono``, ``conv``, ``dip`` and ``peak``."""
    largest = largest_violations(curves, tolerance_of(curves, procedure))
    tests = {"mono": (_increase(curves, largest["mono"]), n_pairs(curves.counts)),
             "conv": (bulge(curves, largest["conv"].at), n_triples(curves.counts)),
             "dip": (_increase(curves, largest["dip"]), curves.counts - 1)}
    findings = {}
    for kind, (differences, comparisons) in tests.items():
        p, stands = _judge(curves, procedure, differences, comparisons)
        findings[kind] = Finding(largest[kind], p, stands)
    return findings | {"peak": judge_peak(curves, procedure, largest["conv"])}


def judge_peak(curves: Curves, procedure: Procedure, triple: violations.Violation) -> Finding:
    """Test for a peak (Definition 3) at a convexity violation.

    Three tests over the repeats that have all three anchors: the violation itself, i above h, i
    above j. Each is corrected for the number of triples, and all must hold; p is the largest.
    """
    above_line = bulge(curves, triple.at)
    h, i, j = (np.where(np.isnan(above_line), np.nan, repeats_at(curves, k)) for k in triple.at.T)
    judged = [_judge(curves, procedure, d, n_triples(curves.counts))
              for d in (above_line, i - h, i - j)]
    # The verdict follows from it: a test that is undefined counts as published, and else does not.
    larger = np.fmax if procedure.undefined_counts else np.maximum
    p = larger.reduce([p for p, _ in judged])
    return Finding(triple, p, np.logical_and.reduce([stands for _, stands in judged]))


def _increase(curves: Curves, violation: violations.Violation) -> np.ndarray:
    i, j = violation.at.T
    return repeats_at(curves, j) - repeats_at(curves, i)


def _judge(curves: Curves, procedure: Procedure, differences: np.ndarray,
           comparisons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return corrected p-values and verdicts; no violation has no repeats and so no verdict."""
    test: TTest = TESTS[procedure.test].of(differences, curves.outer)
    p = np.minimum(test.p * comparisons, 1.0)
    if procedure.beyond_rounding:  # p says nothing of differences that are rounding
        p = np.where((np.abs(test.mean) <= curves.rounding), np.nan, p)
    counts = p < ALPHA
    if procedure.undefined_counts:
        counts |= np.isnan(p)
    return p, counts & (test.n > 1)
