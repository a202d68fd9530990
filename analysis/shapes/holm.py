"""Verdicts from all pairs and all triples, by Holm's step-down procedure (Appendix I)."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from analysis.shapes import verdicts
from analysis.shapes.curves import Curves
from analysis.shapes.significance import Procedure

CHUNK = 2**14  # comparisons done at once


class Comparisons(NamedTuple):
    """Those of one curve's comparisons that go the wrong way.

    Attributes
    ----------
    at : ndarray of int
        Positions in `Places`, ascending.
    mean : ndarray
        Mean difference over the repeats that have every anchor involved; above 0 is a violation.
    t : ndarray
        Its t statistic; infinite where the differences do not vary.
    n : ndarray of int
        Number of those repeats, at least 2.
    """

    at: np.ndarray
    mean: np.ndarray
    t: np.ndarray
    n: np.ndarray


def compare(repeats: np.ndarray, places: verdicts.Places, least: float) -> Comparisons:
    """Compare one curve's anchors at all `places`.

    Parameters
    ----------
    repeats : ndarray, shape (n_anchors, n_repeats)
        Values of one curve, NaN where a repeat has none; each comparison takes those it has.
    places : Places
        What to compare.
    least : float
        Mean differences up to this are left out.
    """
    parts = [_compare_chunk(repeats, verdicts.Places(*(f[k : k + CHUNK] for f in places)), least)
             for k in range(0, len(places.above), CHUNK)]
    _, mean, t, n = (np.concatenate(column) for column in zip(*parts, strict=True))
    at = np.concatenate([part.at + k * CHUNK for k, part in enumerate(parts)])
    return Comparisons(at, mean, t, n)


def _compare_chunk(repeats: np.ndarray, places: verdicts.Places, least: float) -> Comparisons:
    value = repeats[places.above]
    line = (repeats[places.left] * places.of_left[:, None]
            + repeats[places.right] * places.of_right[:, None])
    difference = value - line
    there = ~np.isnan(difference)
    n = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Of the two means and not of the differences: with rounding alone the sign may not agree.
        mean = (np.where(there, value, 0).sum(axis=1) / n
                - np.where(there, line, 0).sum(axis=1) / n)
    at = np.flatnonzero((mean > least) & (n > 1))
    return Comparisons(at, mean[at], _t_statistic(difference[at], there[at], n[at]), n[at])


def _t_statistic(difference: np.ndarray, there: np.ndarray, n: np.ndarray) -> np.ndarray:
    difference = np.where(there, difference, 0)
    mean = difference.sum(axis=1) / n
    squares = np.where(there, difference - mean[:, None], 0) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return mean / (np.sqrt(squares.sum(axis=1) / (n - 1)) / np.sqrt(n))


def judge_holm(curves: Curves, procedure: Procedure) -> dict[str, verdicts.Finding]:
    """Test all pairs and triples of each curve; return the findings of `judge_largest`.

    Where a curve has no rejected pair or triple, its largest violation is reported.
    """
    largest = verdicts.largest_violations(curves, curves.rounding)
    findings = {kind: _judge_kind(curves, procedure, kind, violation)
                for kind, violation in largest.items()}
    return findings | {"peak": verdicts.judge_peak(curves, procedure, findings["conv"].violation)}


def _judge_kind(curves: Curves, procedure: Procedure, kind: str,
                largest: verdicts.Violation) -> verdicts.Finding:
    column = verdicts.Column(largest)
    for row in np.flatnonzero(curves.counts >= (3 if kind == "conv" else 2)):
        n, rounding = curves.counts[row], curves.rounding[row]
        places = verdicts.PLACES_OF[kind](curves.anchors[row, :n])
        compared = compare(curves.values[row, :, :n].T, places,
                           rounding if procedure.beyond_rounding else -rounding)
        column.count[row], column.p[row], reported = reject(
            compared, len(places.above), rounding, procedure)
        if reported is not None:
            column.report(row, compared.mean[reported], places, compared.at[reported])
    return column.finding()


def reject(compared: Comparisons, n_hypotheses: int, rounding: float,
           procedure: Procedure) -> tuple[int, float, int | None]:
    """Step down over all hypotheses; report the largest difference among those rejected.

    As in the published code, any p·(m − rank + 1) ≤ α rejects, whatever came before it: without the
    running maximum a hypothesis can be rejected though one with a smaller p is not. The first one
    rejected in the order of p is reported then, and identical differences count as p = 1, even if
    not 0.

    Parameters
    ----------
    compared : Comparisons
        Those that go the wrong way; as published, with differences that may be rounding.
    n_hypotheses : int
        All that were tested, those that go the right way (p = 1) included.
    rounding : float
        Differences within this of the largest tie with it; the first is reported.
    procedure : Procedure
        Whose correction is "holm" or "holm_published", and whose level.

    Returns
    -------
    count, p, reported
        Hypotheses rejected; the smallest adjusted p-value, at most 1 (NaN where nothing goes the
        wrong way); which of the comparisons is reported, None where none is rejected.
    """
    published = procedure.correction == "holm_published"
    asked = (compared.mean >= 0) & np.isfinite(compared.t) if published else compared.mean > -np.inf
    where = np.flatnonzero(asked)
    if not where.size:
        return (0, np.nan, None)
    p = stdtr(compared.n[where] - 1.0, -compared.t[where])
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(p[order] * (n_hypotheses - np.arange(len(order))), 1.0)
    if not published:
        adjusted = np.maximum.accumulate(adjusted)
    rejected = where[order[adjusted <= procedure.alpha]]
    if not rejected.size:
        return (0, adjusted.min(), None)
    size = np.full(len(compared.mean), -np.inf)
    size[rejected] = compared.mean[rejected]
    largest = int((size >= size.max() - rounding).argmax())
    return (len(rejected), adjusted.min(), int(rejected[0]) if published else largest)
