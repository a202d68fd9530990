"""Fit one model to many curves held in plain arrays: scan, refine, and say what became of each."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from analysis.fitting.registry import CurveModel
from analysis.fitting.search import MAX_STEPS, pack_curves, refine, search, solve_linear
from analysis.statistics.summary import TIE

#: A constant curve is fitted as going on so far, in last sizes: any shape fits it, and what
#: rounding makes of one may grow beyond all bounds.
BEYOND = np.array([4.0, 16.0, 256.0, 4096.0])
BLOCK = 1500  # curves at a time, so that arrays stay in the processor's cache


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
        Mean squared error on the fitted anchors, unweighted (of a constant curve, going on as
        `BEYOND` says); NaN where there is no fit.
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
        shape = self.model.family.shape(n, self.reference[:, None], *self.natural.T[:, :, None])
        return alpha + beta * shape


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
    model : CurveModel
    """
    n, counts = n.astype(float), np.isfinite(y) & (weight > 0)
    y, weight = np.where(counts, y, 0.0), np.where(counts, weight, 0.0)
    number = counts.sum(1)
    spread = np.where(counts, y, -np.inf).max(1) - np.where(counts, y, np.inf).min(1)
    status = np.select(
        [number == 0, number < model.n_parameters, (number > 1) & (spread <= TIE)],
        [FitStatus.all_missing, FitStatus.too_few_anchors, FitStatus.constant],
        FitStatus.ok,
    ).astype(np.int8)
    # A term a row: NumPy takes the logarithm of a table's column by its vector or by its scalar
    # code, whose last digits differ, by what happens to lie behind the table in memory.
    terms = np.full((3 + len(model.family.steps), len(y)), np.nan)
    mse, converged = np.full(len(y), np.nan), np.zeros(len(y), bool)
    for kind in (FitStatus.ok, FitStatus.constant):
        rows = np.flatnonzero(status == kind)
        if not len(rows):
            continue
        columns = np.flatnonzero(counts[rows].any(0))
        cells = np.ix_(rows, columns)
        sizes, values, share = n[columns], y[cells], weight[cells]
        if kind == FitStatus.constant:
            level = values.max(1, keepdims=True, where=share > 0, initial=-np.inf)
            beyond = np.ones((len(rows), len(BEYOND)))
            sizes = np.concatenate([sizes, sizes[-1] * BEYOND])
            values, share = np.hstack([values, level * beyond]), np.hstack([share, beyond])
        share = share / share.sum(1, keepdims=True)
        with np.errstate(over="ignore"):  # of shapes so far beyond that they are none
            terms[:, rows], mse[rows], converged[rows] = _solve(sizes, values, share, model)
    status[(status == FitStatus.ok) & ~converged] = FitStatus.not_converged
    reference, linear, natural = terms[0], terms[1:3].T, terms[3:].T
    parameters = np.stack(model.to_parameters(reference, *linear.T, *natural.T), 1)
    return Fit(model=model, parameters=parameters, mse=mse, converged=converged, status=status,
               linear=linear, natural=natural, reference=reference)


def _solve(n, y, weight, model):
    """Return reference, alpha, beta and nonlinear parameters; errors; and what converged."""
    curves = pack_curves(n, y, weight, model)
    theta, converged = np.empty((len(y), len(model.family.steps))), np.ones(len(y), bool)
    if theta.size:
        theta, converged = _search(n, y, weight, model)
    shape = model.family.at(curves.n, curves.first, curves.last, theta)
    counts = curves.weight > 0
    weight = np.eye(counts.shape[1])[curves.n.argmax(1)] if model.last_alone else curves.weight
    alpha, beta = solve_linear(shape, curves.y, weight, model)
    natural = model.family.natural(curves.first, curves.last, *theta.T[:, :, None])
    reference = model.family.reference(curves.first, curves.last, *natural)
    squares = np.where(counts, alpha + beta * shape - curves.y, 0.0) ** 2
    terms = np.hstack([reference, alpha, beta, *natural]).T
    return terms, squares.sum(1) / counts.sum(1), converged


def _search(n, y, weight, model):
    """Find the best point of the unit box; curves of similar length together, stragglers last."""
    theta, converged = np.empty((len(y), len(model.family.steps))), np.empty(len(y), bool)
    order = np.argsort((weight > 0).sum(1), kind="stable")
    for rows in np.array_split(order, -(-len(order) // BLOCK)):
        theta[rows], converged[rows] = search(n, y[rows], weight[rows], model)
    late = np.flatnonzero(~converged)
    if len(late):
        curves = pack_curves(n, y[late], weight[late], model)
        theta[late], _, converged[late] = refine(curves, theta[late], model, MAX_STEPS)
    return theta, converged
