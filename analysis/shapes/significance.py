"""One-sided paired t-tests over the repeats of many curves at once (Section 4 of the paper)."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from analysis.shapes.curves import Curves

ALPHA = 0.05  # significance level throughout the paper


class TTest(NamedTuple):
    """A one-sided t-test per curve, of whether the mean of its differences is above 0.

    Attributes
    ----------
    p : ndarray, shape (n_curves,)
        Uncorrected; NaN where undefined: fewer than two differences, or all of them exactly 0.
    mean : ndarray, shape (n_curves,)
        Mean difference over the repeats that have every anchor involved; NaN where none has.
    n : ndarray of int, shape (n_curves,)
        Number of those repeats.
    """

    p: np.ndarray
    mean: np.ndarray
    n: np.ndarray


def t_test(differences: np.ndarray) -> TTest:
    """Test each row of `differences` (n_curves, n_repeats), NaN left out, for a mean above 0.

    Identical differences other than 0 have p = 0: no variation casts doubt on them.
    """
    there = ~np.isnan(differences)
    n = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, differences, 0).sum(axis=1) / n
        squares = np.where(there, differences - mean[:, None], 0) ** 2
        t = mean / np.sqrt(squares.sum(axis=1) / (n - 1) / n)
    return TTest(np.where(n > 1, stdtr(np.maximum(n - 1, 1), -t), np.nan), mean, n)


def repeats_at(curves: Curves, at: np.ndarray) -> np.ndarray:
    """Return the repeats of each curve at one of its anchors, shape (n_curves, n_repeats).

    Position -1 stands for no anchor and gives NaN.
    """
    values = np.take_along_axis(curves.values, np.maximum(at, 0)[:, None, None], axis=2)[:, :, 0]
    return np.where((at >= 0)[:, None], values, np.nan)


def bulge(curves: Curves, at: np.ndarray) -> np.ndarray:
    """Return each repeat's violation C(i) − interpolated C(i) at the triple `at` (Definition 2)."""
    h, i, j = (repeats_at(curves, k) for k in at.T)
    x_h, x_i, x_j = np.take_along_axis(curves.anchors, np.maximum(at, 0), axis=1).T[:, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return i - (h * ((x_j - x_i) / (x_j - x_h)) + j * ((x_i - x_h) / (x_j - x_h)))
