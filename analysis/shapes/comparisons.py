"""Differences of one curve at all its pairs or all its triples of anchors, with t statistics.

A triple's difference is d = x_i − a·x_h − b·x_j with a + b = 1, so its variance follows from those
of pairs: Var d = a·V_hi + b·V_ij − ab·V_hj, where V_ij, the variance of x_j − x_i, follows from the
anchors' covariance matrix over the repeats. That cancels where a variance is tiny, and it needs the
same repeats at every anchor; elsewhere the repeats themselves are compared.
"""

from typing import NamedTuple

import numpy as np

from analysis.shapes.places import Places

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


def compare(repeats: np.ndarray, places: Places, least: float, rounding: float) -> Comparisons:
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
    exact = _compare_repeats(repeats, Places(*(f[at[doubtful]] for f in places)), least)
    mean[doubtful] = -np.inf  # those that `exact` leaves out go
    mean[doubtful[exact.at]], t[doubtful[exact.at]] = exact.mean, exact.t
    kept = mean > -np.inf
    return Comparisons(at[kept], mean[kept], t[kept], n)


def _flat_pairs(places: Places, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    left = places.left * n
    return left + places.above, places.above * n + places.right, left + places.right


def _difference_variances(repeats: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the variances of x_l − x_k, flattened, and the largest variance of an anchor."""
    covariance = np.atleast_2d(np.cov(repeats))
    own = np.diag(covariance)
    return (own + own[:, None] - 2 * covariance).ravel(), own.max()


def _compare_repeats(repeats: np.ndarray, places: Places, least: float) -> Comparisons:
    """Do as `compare`, on the repeats themselves, so that each comparison takes those it has."""
    parts = [_compare_chunk(repeats, Places(*(f[k : k + CHUNK] for f in places)), least)
             for k in range(0, len(places.above), CHUNK)]
    if not parts:
        return Comparisons(np.empty(0, int), np.empty(0), np.empty(0), np.empty(0, int))
    _, mean, t, n = (np.concatenate(column) for column in zip(*parts, strict=True))
    at = np.concatenate([part.at + k * CHUNK for k, part in enumerate(parts)])
    return Comparisons(at, mean, t, n)


def _compare_chunk(repeats: np.ndarray, places: Places, least: float) -> Comparisons:
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
