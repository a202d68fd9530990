"""Fit one model to many curves held in plain arrays: scan, refine, and say what became of each."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from analysis.fitting.linear import pack_curves, shape_at, solve_linear
from analysis.fitting.registry import CurveModel
from analysis.fitting.search import MAX_STEPS, refine, search
from analysis.statistics.summary import TIE

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
    status = _status(y, counts, model)
    rows = np.flatnonzero(status < FitStatus.too_few_anchors)
    columns = np.flatnonzero(counts.any(0))
    # A term a row: NumPy takes the logarithm of a table's column by its vector or by its scalar
    # code, whose last digits differ, by what happens to lie behind the table in memory.
    terms, converged = np.full((3 + _n_nonlinear(model), len(y)), np.nan), np.zeros(len(y), bool)
    mse = np.full(len(y), np.nan)
    if len(rows):
        cells = np.ix_(rows, columns)
        share = weight[cells] / weight[cells].sum(1, keepdims=True)
        terms[:, rows], mse[rows], converged[rows] = _solve(
            n[columns], y[cells], share, model, status[rows] == FitStatus.constant)
    status[(status == FitStatus.ok) & ~converged] = FitStatus.not_converged
    reference, linear, natural = terms[0], terms[1:3].T, terms[3:].T
    parameters = np.stack(model.to_parameters(reference, *linear.T, *natural.T), 1)
    return Fit(model=model, parameters=parameters, mse=mse, converged=converged, status=status,
               linear=linear, natural=natural, reference=reference)


def _n_nonlinear(model: CurveModel) -> int:
    return 0 if model.family is None else len(model.family.steps)


def _solve(n, y, weight, model, constant):
    """Return reference, alpha, beta and nonlinear parameters; errors; and what converged.

    A constant fits every shape: it takes one that falls, so that no rounding error beside it grows
    with the rows.
    """
    curves = pack_curves(n, y, weight)
    theta, converged = np.empty((len(y), _n_nonlinear(model))), np.ones(len(y), bool)
    if theta.size:
        theta, converged = _search(n, y, weight, model)
        theta[constant & model.intercept & (model.slope != "minus one")] = 1.0
    if model.family is None:  # LAST1
        last = curves.n.argmax(1)[:, None]
        terms = [curves.last, np.take_along_axis(curves.y, last, 1), np.zeros((len(y), 1))]
        fitted = terms[1]
    else:
        shape = shape_at(curves, theta, model)
        alpha, beta = solve_linear(shape, curves.y, curves.weight, model)
        natural = model.family.natural(curves.first, curves.last, *theta.T[:, :, None])
        reference = model.family.reference(curves.first, curves.last, *natural)
        terms, fitted = [reference, alpha, beta, *natural], alpha + beta * shape
    squares = np.where(curves.weight > 0, fitted - curves.y, 0.0) ** 2
    return np.hstack(terms).T, squares.sum(1) / (curves.weight > 0).sum(1), converged


def _search(n, y, weight, model):
    """Find the best point of the unit box; curves of similar length together, stragglers last."""
    theta, converged = np.empty((len(y), _n_nonlinear(model))), np.empty(len(y), bool)
    order = np.argsort((weight > 0).sum(1), kind="stable")
    for rows in np.array_split(order, -(-len(order) // BLOCK)):
        theta[rows], converged[rows] = search(n, y[rows], weight[rows], model)
    late = np.flatnonzero(~converged)
    if len(late):
        curves = pack_curves(n, y[late], weight[late])
        theta[late], _, converged[late] = refine(curves, theta[late], model, MAX_STEPS)
    return theta, converged


def _status(y: np.ndarray, counts: np.ndarray, model: CurveModel) -> np.ndarray:
    number = counts.sum(1)
    spread = np.where(counts, y, -np.inf).max(1) - np.where(counts, y, np.inf).min(1)
    return np.select(
        [number == 0, number < model.n_parameters, (number > 1) & (spread <= TIE)],
        [FitStatus.all_missing, FitStatus.too_few_anchors, FitStatus.constant],
        FitStatus.ok,
    ).astype(np.int8)
