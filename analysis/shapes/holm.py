"""Verdicts from all pairs and all triples, by Holm's step-down procedure (Appendix I).

A triple's difference is d = x_i − a·x_h − b·x_j with a + b = 1, so its variance follows from those
of pairs: Var d = a·V_hi + b·V_ij − ab·V_hj, where V_ij, the variance of x_j − x_i, follows from the
anchors' covariance matrix over the repeats. That cancels where a variance is tiny, and it needs the
same repeats at every anchor; elsewhere the repeats themselves are compared.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.shapes import verdicts
from analysis.shapes.curves import Curves
from analysis.shapes.significance import Procedure

TINY = 1e-8  # below this share of the curve's largest variance, cancellation would spoil one
CHUNK = 2**14  # comparisons done at once on the repeats themselves


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
    n : int or ndarray of int
        Number of those repeats, at least 2.
    """

    at: np.ndarray
    mean: np.ndarray
    t: np.ndarray
    n: int | np.ndarray


def compare(repeats: np.ndarray, places: verdicts.Places, least: float,
            rounding: float) -> Comparisons:
    """Compare one curve's anchors at all `places`.

    Parameters
    ----------
    repeats : ndarray, shape (n_anchors, n_repeats)
        Values of one curve, NaN where a repeat has none.
    places : Places
        What to compare.
    least : float
        Mean differences up to this are left out.
    rounding : float
        Mean differences up to this may be rounding and are worked out on the repeats themselves.
    """
    repeats = np.ascontiguousarray(repeats[:, ~np.isnan(repeats).all(axis=0)])
    if np.isnan(repeats).any() or repeats.shape[1] < 2:
        return _compare_repeats(repeats, places, least)
    means, n = repeats.mean(axis=1), repeats.shape[1]
    step = (means - means[:, None]).ravel()  # step[k·N + l] = mean of x_l − x_k
    up, down, across = _flat_pairs(places, len(means))
    mean = places.of_left * step[up] - places.of_right * step[down]
    at = np.flatnonzero(mean > least)
    mean = mean[at]
    variance, largest = _difference_variances(repeats)
    of_left, of_right = places.of_left[at], places.of_right[at]
    spread = of_left * (variance[up[at]] - of_right * variance[across[at]])
    spread += of_right * variance[down[at]]
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / np.sqrt(spread / n)
    doubtful = np.flatnonzero((spread <= TINY * largest + rounding**2) | (mean <= rounding))
    if not doubtful.size:
        return Comparisons(at, mean, t, n)
    exact = _compare_repeats(repeats, verdicts.Places(*(f[at[doubtful]] for f in places)), least)
    mean[doubtful] = -np.inf  # those that `exact` leaves out go
    mean[doubtful[exact.at]], t[doubtful[exact.at]] = exact.mean, exact.t
    kept = mean > -np.inf
    return Comparisons(at[kept], mean[kept], t[kept], n)


def _flat_pairs(places: verdicts.Places, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    left = places.left * n
    return left + places.above, places.above * n + places.right, left + places.right


def _difference_variances(repeats: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the variances of x_l − x_k, flattened, and the largest variance of an anchor."""
    covariance = np.atleast_2d(np.cov(repeats))
    own = np.diag(covariance)
    return (own + own[:, None] - 2 * covariance).ravel(), own.max()


def _compare_repeats(repeats: np.ndarray, places: verdicts.Places, least: float) -> Comparisons:
    """Do as `compare`, on the repeats themselves, so that each comparison takes those it has."""
    parts = [_compare_chunk(repeats, verdicts.Places(*(f[k : k + CHUNK] for f in places)), least)
             for k in range(0, len(places.above), CHUNK)]
    if not parts:
        return Comparisons(np.empty(0, int), np.empty(0), np.empty(0), np.empty(0, int))
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
    reject = holm if procedure.correction == "holm" else holm_as_published
    for row in np.flatnonzero(curves.counts >= (3 if kind == "conv" else 2)):
        n, rounding = curves.counts[row], curves.rounding[row]
        places = verdicts.PLACES_OF[kind](curves.anchors[row, :n])
        compared = compare(curves.values[row, :, :n].T, places,
                           rounding if procedure.beyond_rounding else -rounding, rounding)
        column.count[row], column.p[row], reported = reject(
            compared, len(places.above), rounding, procedure.alpha)
        if reported is not None:
            column.report(row, compared.mean[reported], places, compared.at[reported])
    return column.finding()


def holm(compared: Comparisons, n_hypotheses: int, rounding: float,
         alpha: float) -> Rejections:
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
    alpha : float
        Significance level of all hypotheses together.
    """
    if not compared.at.size:
        return Rejections(0, np.nan, None)
    count, level = 0, alpha / n_hypotheses
    rejected = compared.t >= critical_t(level, compared.n)
    while np.count_nonzero(rejected) > count:
        count = np.count_nonzero(rejected)
        level = alpha / max(1, n_hypotheses - count)
        rejected = compared.t >= critical_t(level, compared.n)
    p = min(1.0, n_hypotheses * stdtr(compared.n - 1.0, -compared.t).min()
            if np.ndim(compared.n) else n_hypotheses * stdtr(compared.n - 1, -compared.t.max()))
    if not count:
        return Rejections(0, p, None)
    size = np.where(rejected, compared.mean, -np.inf)
    return Rejections(count, p, int((size >= size.max() - rounding).argmax()))


def holm_as_published(compared: Comparisons, n_hypotheses: int, rounding: float,
                      alpha: float) -> Rejections:
    """Do as the published code: any p·(m − rank + 1) ≤ α rejects, whatever came before it.

    Without the running maximum a hypothesis can be rejected though one with a smaller p is not. The
    first one rejected in the order of p is reported. Identical differences count as p = 1, even if
    not 0.

    Parameters
    ----------
    compared, n_hypotheses, rounding, alpha
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
    hits = np.flatnonzero(adjusted <= alpha)
    reported = int(where[order[hits[0]]]) if hits.size else None
    return Rejections(len(hits), adjusted.min(), reported)


def critical_t(level: float, n: int | np.ndarray) -> float | np.ndarray:
    """Return the t at which a one-sided test over `n` repeats has p = `level`."""
    of_n = -stdtrit(np.arange(1, np.max(n)), level)
    return of_n[np.asarray(n) - 2]
