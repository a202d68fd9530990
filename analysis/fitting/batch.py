"""Fit one model to many curves held in plain arrays: scan, refine, and say what became of each."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from analysis.fitting.linear import solve_linear
from analysis.fitting.refine import MAX_STEPS, Curves, refine, shape_at
from analysis.fitting.scan import scan
from analysis.models import CurveModel

STARTS = 6  # local minima of the scan that are followed for a few steps
TRIAL_STEPS = 4
FINALISTS = 2  # of them, followed to the end
BLOCK = 800  # curves at a time, so that arrays stay in the processor's cache
CONSTANT = 1e-12  # a range of values that is rounding


class FitStatus(IntEnum):
    """What became of a curve's fit."""

    ok = 0
    constant = 1
    not_converged = 2
    too_few_anchors = 3
    all_missing = 4


@dataclass(frozen=True)
class Fit:
    """One model fitted to many curves.

    Attributes
    ----------
    parameters : ndarray, shape (n_curves, n_parameters)
        The model's parameters; NaN where there is no fit.
    mse : ndarray, shape (n_curves,)
        Mean squared error on the fitted anchors, unweighted; NaN where there is no fit.
    converged : ndarray of bool, shape (n_curves,)
    status : ndarray of int8, shape (n_curves,)
        `FitStatus`.
    linear, natural : ndarray, shape (n_curves, 2) and (n_curves, n_nonlinear)
        alpha and beta, and the nonlinear parameters, in the family's terms.
    reference : ndarray, shape (n_curves,)
        Anchor at which the shape is 1.
    """

    model: CurveModel
    parameters: np.ndarray
    mse: np.ndarray
    converged: np.ndarray
    status: np.ndarray
    linear: np.ndarray
    natural: np.ndarray
    reference: np.ndarray

    def predict(self, n: np.ndarray) -> np.ndarray:
        """Return the fitted curves at `n`, broadcast against a last axis; NaN without a fit.

        The family's terms are used because they cannot overflow.
        """
        alpha, beta = self.linear.T[:, :, None]
        if self.model.family is None:
            return alpha + 0 * n
        shape = self.model.family.shape(
            n, self.reference[:, None], *self.natural.T[:, :, None])
        return alpha + beta * shape


def pack(n: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Curves:
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
    return Curves(packed, np.where(kept, y[rows, columns], 0.0),
                  np.where(kept, weight[rows, columns], 0.0),
                  packed[:, :1], packed.max(1, keepdims=True))


def _follow(curves, starts, model, steps, keep):
    """Refine every curve's starts; return the best `keep` of them and whether they converged."""
    n_curves, n_starts, n_nonlinear = starts.shape
    theta, error, converged = refine(
        curves.take(np.repeat(np.arange(n_curves), n_starts)),
        starts.reshape(-1, n_nonlinear), model, steps)
    best = np.argsort(error.reshape(n_curves, n_starts), axis=1, kind="stable")[:, :keep]
    pick = best + n_starts * np.arange(n_curves)[:, None]
    return theta[pick], converged[pick]


def _fit_shape(n, y, weight, model):
    """Return reference, alpha, beta and nonlinear parameters; and whether they converged."""
    curves = pack(n, y, weight)
    theta, converged = np.empty((len(y), 0)), np.ones(len(y), bool)
    if model.family.steps:
        starts = scan(n, y, weight, np.hstack([curves.first, curves.last]), model, STARTS)
        starts, _ = _follow(curves, starts, model, TRIAL_STEPS, FINALISTS)
        theta, converged = (part[:, 0] for part in _follow(curves, starts, model, MAX_STEPS, 1))
    linear = solve_linear(shape_at(curves, theta, model), curves.y, curves.weight, model)
    natural = model.family.natural(curves.first, curves.last, *theta.T[:, :, None])
    reference = model.family.reference(curves.first, curves.last, *natural)
    return np.hstack([reference, *linear, *natural]), converged


def _fit_last(n, y, weight):
    """Return the last value that counts, as alpha (the baseline LAST1)."""
    last = y.shape[1] - 1 - (weight > 0)[:, ::-1].argmax(1)
    return np.stack([n[last], y[np.arange(len(y)), last], np.zeros(len(y))], 1)


def fit_batch(n: np.ndarray, y: np.ndarray, weight: np.ndarray, model: CurveModel) -> Fit:
    """Fit `model` to every row of `y`.

    Parameters
    ----------
    n : ndarray, shape (n_anchors,)
        Training-set sizes, ascending.
    y : ndarray, shape (n_curves, n_anchors)
        NaN where there is no anchor.
    weight : ndarray, shape (n_curves, n_anchors)
        0 or NaN where an anchor does not count.
    """
    n, counts = n.astype(float), np.isfinite(y) & (weight > 0)
    y, weight = np.where(counts, y, 0.0), np.where(counts, weight, 0.0)
    status = _status(y, counts, model)
    rows = np.flatnonzero(status < FitStatus.too_few_anchors)
    columns = np.flatnonzero(counts.any(0))
    terms, converged = np.full((len(y), 3 + _n_nonlinear(model)), np.nan), np.zeros(len(y), bool)
    if len(rows):
        cells = np.ix_(rows, columns)
        share = weight[cells] / weight[cells].sum(1, keepdims=True)
        terms[rows], converged[rows] = _solve(n[columns], y[cells], share, model)
    status[(status == FitStatus.ok) & ~converged] = FitStatus.not_converged
    reference, linear, natural = terms[:, 0], terms[:, 1:3], terms[:, 3:]
    parameters = np.stack(model.to_parameters(reference, *linear.T, *natural.T), 1)
    fit = Fit(model, parameters, np.full(len(y), np.nan), converged, status, linear, natural,
              reference)
    squares = np.where(counts, fit.predict(n) - y, 0.0)[rows] ** 2
    fit.mse[rows] = squares.sum(1) / counts[rows].sum(1)
    return fit


def _n_nonlinear(model: CurveModel) -> int:
    return 0 if model.family is None else len(model.family.steps)


def _solve(n, y, weight, model):
    """Fit curves that can be fitted, those of similar length together."""
    if model.family is None:
        return _fit_last(n, y, weight), np.ones(len(y), bool)
    terms, converged = np.empty((len(y), 3 + _n_nonlinear(model))), np.empty(len(y), bool)
    order = np.argsort((weight > 0).sum(1), kind="stable")
    for rows in np.array_split(order, -(-len(order) // BLOCK)):
        terms[rows], converged[rows] = _fit_shape(n, y[rows], weight[rows], model)
    return terms, converged


def _status(y: np.ndarray, counts: np.ndarray, model: CurveModel) -> np.ndarray:
    number = counts.sum(1)
    spread = np.where(counts, y, -np.inf).max(1) - np.where(counts, y, np.inf).min(1)
    return np.select(
        [number == 0, number < model.n_parameters, (number > 1) & (spread <= CONSTANT)],
        [FitStatus.all_missing, FitStatus.too_few_anchors, FitStatus.constant],
        FitStatus.ok,
    ).astype(np.int8)
