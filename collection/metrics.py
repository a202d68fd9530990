"""Metrics of one fit on one split, by their definitions and fast: they are called millions of times.

Classes are integer codes 0 … n_classes − 1, scores have a column per class of the dataset. The
values equal scikit-learn's where both are defined.
"""

import numpy as np

EPS = np.finfo(np.float64).eps


def error_rate(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of rows whose class is predicted wrongly."""
    return float(np.count_nonzero(true != predicted) / len(true))


def weighted_f1(true: np.ndarray, predicted: np.ndarray, n_classes: int) -> float:
    """Return the mean over classes of F1, weighted by the classes' shares of `true`.

    F1 is 0 where a class is never predicted rightly.
    """
    support = np.bincount(true, minlength=n_classes)
    hits = np.bincount(true[true == predicted], minlength=n_classes)
    claimed = np.bincount(predicted, minlength=n_classes)
    f1 = 2 * hits / np.maximum(support + claimed, 1)
    return float(f1 @ support / len(true))


def weighted_auc(true: np.ndarray, scores: np.ndarray) -> float:
    """Return the mean of the classes' AUC, one versus rest, weighted by their shares of `true`.

    Parameters
    ----------
    true : ndarray of int, shape (n_rows,)
    scores : ndarray, shape (n_rows, n_classes)
        Larger for the likelier class; only the order within a column matters.

    Returns
    -------
    float
        NaN where `true` has one class only. A class that does not occur has no AUC and no weight.
    """
    support = np.bincount(true, minlength=scores.shape[1])
    occurs = np.flatnonzero(support)
    if len(occurs) < 2:
        return np.nan
    if scores.shape[1] == 2 and np.array_equal(scores[:, 0], -scores[:, 1]):
        occurs = occurs[1:]  # one order read from both ends: the same AUC twice
    ranks = _average_ranks(scores[:, occurs])
    is_class = true[:, None] == occurs
    size = support[occurs].astype(float)
    rank_sum = np.where(is_class, ranks, 0.0).sum(axis=0)
    auc = (rank_sum - size * (size + 1) / 2) / (size * (len(true) - size))
    return float(auc @ size / size.sum())


def log_loss(true: np.ndarray, probabilities: np.ndarray) -> float:
    """Return the mean of −ln of the probability given to the true class, in nat.

    Probabilities are clipped to [ε, 1 − ε] with double precision's ε and brought to sum 1, so
    that a class that the training set lacks costs 36 nat, not infinity.

    Parameters
    ----------
    true : ndarray of int, shape (n_rows,)
    probabilities : ndarray, shape (n_rows, n_classes)
    """
    clipped = np.clip(probabilities, EPS, 1 - EPS)
    of_true = clipped[np.arange(len(true)), true]
    return float(-np.log(of_true / clipped.sum(axis=1)).mean())


def _average_ranks(columns: np.ndarray) -> np.ndarray:
    """Return the ranks within each column, from 1, ties getting their mean."""
    from scipy.stats import rankdata

    return rankdata(columns, axis=0)
