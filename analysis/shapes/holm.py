"""Verdicts from all pairs and all triples, by Holm's step-down procedure (Appendix I)."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.shapes.comparisons import Comparisons, compare
from analysis.shapes.curves import Curves
from analysis.shapes.places import Places, all_pairs, all_triples, last_pairs
from analysis.shapes.procedures import Procedure
from analysis.shapes.significance import ALPHA
from analysis.shapes.verdicts import Finding, judge_peak, largest_violations
from analysis.shapes.violations import Violation


class Rejections(NamedTuple):
    """Outcome of a procedure over many hypotheses.

    Attributes
    ----------
    count : int
        Hypotheses rejected.
    p : float
        Smallest adjusted p-value, at most 1; NaN where nothing goes the wrong way.
    reported : int or None
        Which of the comparisons is reported; None where none is rejected.
    """

    count: int
    p: float
    reported: int | None


def judge_all(curves: Curves, procedure: Procedure) -> dict[str, Finding]:
    """Test all pairs and triples of each curve; return the findings of `judge_largest`.

    Where a curve has no rejected pair or triple, its largest violation is reported.
    """
    largest = largest_violations(curves, curves.rounding)
    kinds = {
        "mono": (2, lambda x: all_pairs(len(x))),
        "conv": (3, all_triples),
        "dip": (2, lambda x: last_pairs(len(x))),
    }
    findings = {kind: _judge_kind(curves, procedure, places, least_anchors, largest[kind])
                for kind, (least_anchors, places) in kinds.items()}
    return findings | {"peak": judge_peak(curves, procedure, findings["conv"].violation)}


def _judge_kind(curves: Curves, procedure: Procedure, places_of, least_anchors: int,
                largest: Violation) -> Finding:
    size, at = largest.size.copy(), largest.at.copy()
    p, count = np.full(len(curves), np.nan), np.zeros(len(curves), dtype=int)
    reject = holm if procedure.correction == "holm" else holm_as_published
    for row in np.flatnonzero(curves.counts >= least_anchors):
        places = places_of(curves.anchors[row, : curves.counts[row]])
        rounding = curves.rounding[row]
        compared = compare(curves.values[row, :, : curves.counts[row]].T, places,
                           rounding if procedure.beyond_rounding else -rounding, rounding)
        count[row], p[row], reported = reject(compared, len(places.above), rounding)
        if reported is not None:
            size[row] = compared.mean[reported]
            at[row] = _anchors_of(places, compared.at[reported])[: at.shape[1]]
    return Finding(Violation(size, at), p, count > 0, count)


def _anchors_of(places: Places, k: int) -> list[int]:
    return sorted({places.left[k], places.above[k], places.right[k]})


def holm(compared: Comparisons, n_hypotheses: int, rounding: float) -> Rejections:
    """Step down over all hypotheses; report the largest difference among those rejected.

    Holm's procedure is Bonferroni's, repeated on what it has not yet rejected until nothing more
    is. As p falls with t, counting above critical values does it: neither p-values nor sorting.

    Parameters
    ----------
    compared : Comparisons
        Those that go the wrong way.
    n_hypotheses : int
        All that were tested, those that go the right way (p = 1) included.
    rounding : float
        Differences within this of the largest tie with it; the first is reported.
    """
    if not compared.at.size:
        return Rejections(0, np.nan, None)
    count, level = 0, ALPHA / n_hypotheses
    rejected = compared.t >= critical_t(level, compared.n)
    while np.count_nonzero(rejected) > count:
        count = np.count_nonzero(rejected)
        level = ALPHA / max(1, n_hypotheses - count)
        rejected = compared.t >= critical_t(level, compared.n)
    p = min(1.0, n_hypotheses * stdtr(compared.n - 1.0, -compared.t).min()
            if np.ndim(compared.n) else n_hypotheses * stdtr(compared.n - 1, -compared.t.max()))
    if not count:
        return Rejections(0, p, None)
    size = np.where(rejected, compared.mean, -np.inf)
    return Rejections(count, p, int((size >= size.max() - rounding).argmax()))


def holm_as_published(compared: Comparisons, n_hypotheses: int, rounding: float) -> Rejections:
    """Do as the published code: any p·(m − rank + 1) ≤ 0.05 rejects, whatever came before it.

    Without the running maximum a hypothesis can be rejected though one with a smaller p is not. The
    first one rejected in the order of p is reported. Identical differences count as p = 1, even if
    not 0.

    Parameters
    ----------
    compared, n_hypotheses, rounding
        As for `holm`; here `compared` includes differences that may be rounding.
    """
    wrong_way = (compared.mean >= 0) & np.isfinite(compared.t)
    where = np.flatnonzero(wrong_way)
    if not where.size:
        return Rejections(0, np.nan, None)
    n = np.broadcast_to(compared.n, compared.t.shape)[where]
    p = stdtr(n - 1.0, -compared.t[where])
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(p[order] * (n_hypotheses - np.arange(len(order))), 1.0)
    hits = np.flatnonzero(adjusted <= ALPHA)
    reported = int(where[order[hits[0]]]) if hits.size else None
    return Rejections(len(hits), adjusted.min(), reported)


def critical_t(level: float, n: int | np.ndarray) -> float | np.ndarray:
    """Return the t at which a one-sided test over `n` repeats has p = `level`."""
    of_n = -stdtrit(np.arange(1, np.max(n)), level)
    return of_n[np.asarray(n) - 2]
