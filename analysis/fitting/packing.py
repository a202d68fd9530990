"""Curves as rows of plain arrays, their anchors packed to the left."""

from dataclasses import dataclass, fields

import numpy as np

from analysis.fitting.linear import row_dot, without_intercept
from analysis.fitting.registry import CurveModel

EXACT = 1e-26  # squared error, relative to the curve's square, that is rounding


@dataclass(frozen=True)
class PackedCurves:
    """Curves in rows, their anchors packed to the left.

    Attributes
    ----------
    n, y, weight : ndarray, shape (n_curves, n_anchors)
        Training-set sizes, values, and weights that sum to 1 (0 where there is no anchor).
    first, last : ndarray, shape (n_curves, 1)
        Smallest and largest training-set size of each.
    """

    n: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def take(self, rows: np.ndarray) -> "PackedCurves":
        """Return some of the curves."""
        return PackedCurves(self.n[rows], self.y[rows], self.weight[rows],
                      self.first[rows], self.last[rows])


def shape_at(curves: PackedCurves, theta: np.ndarray, model: CurveModel) -> np.ndarray:
    """Return each curve's shape at `theta`, shape (n_curves, n_nonlinear)."""
    return model.family.at(curves.n, curves.first, curves.last, theta)


@dataclass(frozen=True)
class Reduced:
    """Curves as the search sees them: weighted, and freed of the intercept.

    Attributes
    ----------
    n, root, y : ndarray, shape (n_curves, n_anchors)
        Training-set sizes; roots of the weights; values times these, without the intercept.
    first, last : ndarray, shape (n_curves, 1)
        Smallest and largest training-set size of each.
    exact : ndarray, shape (n_curves,)
        The error below which a fit is exact but for rounding.
    """

    n: np.ndarray
    root: np.ndarray
    y: np.ndarray
    first: np.ndarray
    last: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, curves: PackedCurves, model: CurveModel) -> "Reduced":
        """Reduce `curves` for fitting `model`."""
        root = np.sqrt(curves.weight)
        y = root * curves.y
        exact = EXACT * row_dot(y, y)[:, 0]
        y = without_intercept(y, root, model)
        return cls(curves.n, root, y, curves.first, curves.last, exact)

    def take(self, rows: np.ndarray) -> "Reduced":
        """Return some of the curves."""
        return Reduced(*(getattr(self, f.name)[rows] for f in fields(self)))

    def shape_at(self, theta: np.ndarray, model: CurveModel) -> np.ndarray:
        """Return the shapes at `theta`, shape (n_curves, n_nonlinear), reduced like `y`."""
        shape = model.family.at(self.n, self.first, self.last, theta)
        return without_intercept(self.root * shape, self.root, model)


def pack_curves(n: np.ndarray, y: np.ndarray, weight: np.ndarray) -> PackedCurves:
    """Move the anchors that count to the left, so that few columns remain.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
    y, weight : ndarray, shape (n_curves, n_anchors)
        Every row with at least one positive weight.
    """
    counts = weight > 0
    columns = np.argsort(~counts, axis=1, kind="stable")[:, : counts.sum(1).max()]
    rows = np.arange(len(y))[:, None]
    kept = counts[rows, columns]
    packed = np.where(kept, n[columns], n[columns[:, :1]])
    return PackedCurves(packed, np.where(kept, y[rows, columns], 0.0),
                  np.where(kept, weight[rows, columns], 0.0),
                  packed[:, :1], packed.max(1, keepdims=True))
