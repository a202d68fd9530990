"""Predictions for datasets that were left out, as one matrix: so permutations cost nothing."""

import numpy as np
from scipy.stats import rankdata

PENALTY = 10.0  # fixed beforehand, in the unit of one standardised feature's sum of squares


def left_out_matrix(features: np.ndarray, fold: np.ndarray,
                    penalty: float = PENALTY) -> np.ndarray:
    """Return the matrix that takes outcomes to ridge predictions for the folds left out.

    Parameters
    ----------
    features : ndarray, shape (n, k)
        NaN takes the median of the training part; features are standardised there.
    fold : ndarray of int, shape (n,)
        Of each row.
    penalty : float
        On the squared weights; the intercept is free.

    Returns
    -------
    ndarray, shape (n, n)
        Row i holds the weights of the outcomes in the prediction of row i: 0 for its own fold.

    Raises
    ------
    ValueError
        Where all rows are of one fold.
    """
    n = len(fold)
    if len(np.unique(fold)) < 2:
        raise ValueError("Leaving a fold out needs two folds or more; all rows are of one.")
    matrix = np.zeros((n, n))
    for k in np.unique(fold):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        x, new = _standardised(features[train], features[test])
        weights = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T)
        centre = np.eye(len(train)) - 1 / len(train)
        matrix[np.ix_(test, train)] = new @ weights @ centre + 1 / len(train)
    return matrix


def _standardised(train: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    median = np.nan_to_num(np.nanmedian(train, axis=0))
    train, new = (np.where(np.isnan(x), median, x) for x in (train, new))
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    return (train - mean) / spread, (new - mean) / spread


def make_folds(n: int, folds: int = 10, seed: int = 0) -> np.ndarray:
    """Return a fold for each of `n` rows, as even as can be, in random order."""
    return np.random.default_rng(seed).permutation(np.arange(n) % min(folds, n))


def rank_auc(score: np.ndarray, outcome: np.ndarray) -> np.ndarray:
    """Return how often a positive is scored above a negative; ties count half.

    Parameters
    ----------
    score : ndarray, shape (n,) or (n, m)
    outcome : ndarray of bool, of the same shape or (n, 1)

    Returns
    -------
    ndarray, shape () or (m,)
        NaN where there are no positives or no negatives.
    """
    score, outcome = np.broadcast_arrays(score, outcome)
    positive = outcome.sum(axis=0).astype(float)
    negative = len(outcome) - positive
    ranks = np.where(outcome, rankdata(score, axis=0), 0).sum(axis=0)
    pairs = np.asarray(positive * negative)
    return (ranks - positive * (positive + 1) / 2) / np.where(pairs > 0, pairs, np.nan)
