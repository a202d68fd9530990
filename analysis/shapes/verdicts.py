"""Verdicts from the largest violations: one test each, Bonferroni-corrected (Section 4).

The paper's test is the paired t-test; those of `analysis.shapes.significance` stand beside it.

The largest increase is the largest gap of a curve above its running minimum; the largest convexity
violation is the largest gap above its greatest convex minorant, the lower hull of its points. So no
search over pairs or triples is needed, save to tell apart those that tie.
"""

from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from analysis.shapes.curves import Curves
from analysis.shapes.significance import TESTS, Procedure, TTest, bulge, repeats_at


class Violation(NamedTuple):
    """The largest violation of each curve.

    Attributes
    ----------
    size : ndarray of float, shape (n_curves,)
        In the units of the metric; 0 where there is none.
    at : ndarray of int, shape (n_curves, 2 or 3)
        Positions of its anchors, i < j or h < i < j, in the packed curve; -1 where there is none.
    """

    size: np.ndarray
    at: np.ndarray


def largest_increase(means: np.ndarray, tolerance: np.ndarray) -> Violation:
    """Find the pair i < j with the largest increase (Definition 1, Equation 2).

    Parameters
    ----------
    means : ndarray, shape (n_curves, n_anchors)
        Packed mean curves.
    tolerance : ndarray, shape (n_curves,)
        Increases within this of the largest tie with it, and of those that tie the first is taken
        in the order of the loops (over i, within it over j). Where not 0, an increase within it is
        none.
    """
    highest_after = np.full(means.shape, -np.inf)
    highest_after[:, :-1] = np.fmax.accumulate(means[:, :0:-1], axis=1)[:, ::-1]
    rise = _no_nan(highest_after - means)
    size = rise.max(axis=1, initial=-np.inf)
    enough = (size - tolerance)[:, None]
    i = (rise >= enough).argmax(axis=1)
    rise_from_i = _no_nan(means - np.take_along_axis(means, i[:, None], 1))
    j = ((rise_from_i >= enough) & (np.arange(means.shape[1]) > i[:, None])).argmax(axis=1)
    return _only_positive(size, i, j, least=tolerance)


def largest_final_increase(means: np.ndarray, counts: np.ndarray,
                           tolerance: np.ndarray) -> Violation:
    """Find the anchor i with the largest increase from it to the last one (Definition 4).

    Parameters
    ----------
    means, tolerance
        As for `largest_increase`.
    counts : ndarray of int, shape (n_curves,)
        Anchors of each curve.
    """
    last = np.maximum(counts - 1, 0)
    rise = _no_nan(np.take_along_axis(means, last[:, None], 1) - means)
    size = rise.max(axis=1, initial=-np.inf)
    i = (rise >= (size - tolerance)[:, None]).argmax(axis=1)
    return _only_positive(size, i, last, least=tolerance)


def convex_minorant(anchors: np.ndarray, means: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the greatest convex function below each curve, at its anchors.

    Its slopes are the isotonic regression of the curve's.

    Parameters
    ----------
    anchors, means : ndarray, shape (n_curves, n_anchors)
        Packed curves.
    counts : ndarray of int, shape (n_curves,)
        Anchors of each curve.

    Returns
    -------
    ndarray, shape (n_curves, n_anchors)
        NaN where `means` is.
    """
    minorant = means.copy()
    for row in np.flatnonzero(counts > 2):
        x, y = anchors[row, :counts[row]], means[row, :counts[row]]
        steps = np.diff(x)
        vertices = isotonic_regression(np.diff(y) / steps, weights=steps).blocks
        minorant[row, :counts[row]] = np.interp(x, x[vertices], y[vertices])
    return minorant


def largest_bulge(curves: Curves, tolerance: np.ndarray) -> Violation:
    """Find the triple h < i < j at which the curve bulges most (Definition 2, Equation 3).

    The convex minorant says which anchors can be i. If only one can, triples are compared through
    it alone; if several tie, all are. Either way with the arithmetic of the definition, so that the
    result is that of loops over all triples, to the last bit.

    Parameters
    ----------
    curves : Curves
        Packed curves.
    tolerance : ndarray, shape (n_curves,)
        As for `largest_increase`.
    """
    gap = _no_nan(curves.means - convex_minorant(curves.anchors, curves.means, curves.counts))
    height = gap.max(axis=1, initial=-np.inf)
    candidate = gap >= (height - curves.rounding - tolerance)[:, None]
    size, at = np.zeros(len(curves)), np.full((len(curves), 3), -1)
    for row in np.flatnonzero((curves.counts > 2) & ((height > tolerance) | (tolerance == 0))):
        n = curves.counts[row]
        size[row], at[row] = _first_largest(curves.anchors[row, :n], curves.means[row, :n],
                                            np.flatnonzero(candidate[row, :n]), tolerance[row])
    return _only_positive(size, *at.T, least=tolerance)


def _first_largest(x, y, candidates, tolerance) -> tuple[float, tuple[int, int, int]]:
    """Return the largest violation of one curve, and the first triple that has it."""
    anchors = x.tobytes()
    places = (triples_through(anchors, candidates[0]) if len(candidates) == 1
              else all_triples(anchors))
    i, h, j, of_h, of_j = places
    violation = y[i] - (y[h] * of_h + y[j] * of_j)
    size = violation.max()
    first = (violation >= size - tolerance).argmax()
    return size, (h[first], i[first], j[first])


def _no_nan(differences: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(differences), -np.inf, differences)


def _only_positive(size: np.ndarray, *at: np.ndarray, least: np.ndarray) -> Violation:
    exists = size > least
    return Violation(np.where(exists, size, 0.0), np.where(exists[:, None], np.stack(at, 1), -1))


class Places(NamedTuple):
    """What is compared: anchor `above` to the line from anchor `left` to anchor `right`.

    Attributes
    ----------
    above, left, right : ndarray of int
        Positions, in the order of nested loops over the anchors. For pairs, `right` is `left`.
    of_left, of_right : ndarray of float
        Weights of `left` and `right`, adding up to 1.
    """

    above: np.ndarray
    left: np.ndarray
    right: np.ndarray
    of_left: np.ndarray
    of_right: np.ndarray


@lru_cache(maxsize=256)
def all_pairs(n: int) -> Places:
    """Return all pairs i < j of n anchors; j is compared to i."""
    i, j = np.triu_indices(n, 1)
    return Places(j, i, i, np.ones(len(i)), np.zeros(len(i)))


def last_pairs(n: int) -> Places:
    """Return the n − 1 pairs with the last anchor."""
    i = np.arange(n - 1)
    return Places(np.full(n - 1, n - 1), i, i, np.ones(n - 1), np.zeros(n - 1))


@lru_cache(maxsize=4)  # large; the curves of a dataset share their anchors and follow one another
def all_triples(anchors: bytes) -> Places:
    """Return all triples h < i < j, 419,220 of 137 anchors (as bytes); i is compared to h and j."""
    every = chain.from_iterable(combinations(range(len(anchors) // 8), 3))
    h, i, j = np.fromiter(every, int).reshape(-1, 3).T.copy()
    return _interpolating(np.frombuffer(anchors), h, i, j)


@lru_cache(maxsize=256)
def triples_through(anchors: bytes, i: int) -> Places:
    """Return the triples h < i < j of anchors as bytes, for one i."""
    n = len(anchors) // 8
    h = np.repeat(np.arange(i), n - 1 - i)
    j = np.tile(np.arange(i + 1, n), i)
    return _interpolating(np.frombuffer(anchors), h, np.full(len(h), i), j)


def _interpolating(x: np.ndarray, h: np.ndarray, i: np.ndarray, j: np.ndarray) -> Places:
    """Weigh h and j as in the interpolation of Definition 2."""
    span = x[j] - x[h]
    return Places(i, h, j, (x[j] - x[i]) / span, (x[i] - x[h]) / span)


#: What is compared for each kind of violation, of the anchors of a curve.
PLACES_OF = {"mono": lambda x: all_pairs(len(x)), "conv": lambda x: all_triples(x.tobytes()),
             "dip": lambda x: last_pairs(len(x))}
#: The verdicts on a curve, with words for a page; the order in which tables list them.
SHAPE_LABELS = {name: name.replace("_", "-") for name in (
    "missing", "flat", "non_monotone", "non_convex", "ill_behaved", "peaking", "dipping")}
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

    violation: Violation
    p: np.ndarray
    stands: np.ndarray
    rejected: np.ndarray | None = None


class Column:
    """Findings of one kind as they come in, curve by curve: at first the largest violations."""

    def __init__(self, largest: Violation):
        self.size, self.at = largest.size.copy(), largest.at.copy()
        self.p, self.count = np.full(len(self.size), np.nan), np.zeros(len(self.size), dtype=int)

    def report(self, row: int, size: float, places: Places, k: int) -> None:
        """Report comparison `k` of a curve in the place of its largest violation."""
        at = sorted({places.left[k], places.above[k], places.right[k]})
        self.size[row], self.at[row] = size, at[: self.at.shape[1]]

    def finding(self) -> Finding:
        """Return what came in."""
        return Finding(Violation(self.size, self.at), self.p, self.count > 0, self.count)


def n_pairs(counts: np.ndarray) -> np.ndarray:
    """Return the number of pairs among so many anchors."""
    return counts * (counts - 1) // 2


def n_triples(counts: np.ndarray) -> np.ndarray:
    """Return the number of triples among so many anchors."""
    return counts * (counts - 1) * (counts - 2) // 6


def tolerance_of(curves: Curves, procedure: Procedure) -> np.ndarray:
    """Return what a violation must exceed, one number per curve."""
    return curves.rounding if procedure.beyond_rounding else np.zeros(len(curves))


def largest_violations(curves: Curves, tolerance: np.ndarray) -> dict[str, Violation]:
    """Return the largest violations ``mono``, ``conv`` and ``dip`` of each curve."""
    return {"mono": largest_increase(curves.means, tolerance),
            "conv": largest_bulge(curves, tolerance),
            "dip": largest_final_increase(curves.means, curves.counts, tolerance)}


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


def judge_peak(curves: Curves, procedure: Procedure, triple: Violation) -> Finding:
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


def _increase(curves: Curves, violation: Violation) -> np.ndarray:
    i, j = violation.at.T
    return repeats_at(curves, j) - repeats_at(curves, i)


def _judge(curves: Curves, procedure: Procedure, differences: np.ndarray,
           comparisons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return corrected p-values and verdicts; no violation has no repeats and so no verdict."""
    test: TTest = TESTS[procedure.test].of(differences, curves.seeds)
    p = np.minimum(test.p * comparisons, 1.0)
    if procedure.beyond_rounding:  # p says nothing of differences that are rounding
        p = np.where((np.abs(test.mean) <= curves.rounding), np.nan, p)
    counts = p < procedure.alpha
    if procedure.undefined_counts:
        counts |= np.isnan(p)
    return p, counts & (test.n > 1)
