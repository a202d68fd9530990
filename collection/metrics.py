"""Metrics of one fit on one split, by their definitions and fast: called millions of times.

Classes are integer codes 0 … n_classes − 1, scores have a column per class of the dataset; for
regression, `true` and `predicted` are numbers. The values equal scikit-learn's where both are
defined.
"""

import numpy as np

EPS = np.finfo(np.float64).eps
AT_ONCE = 2_000_000  # scores ranked at a time, to bound memory


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
    if scores.shape[1] == 2:
        occurs = occurs[1:]  # the other class ranks the rows the other way round: the same AUC
    size = support[occurs].astype(float)
    at_once = max(1, AT_ONCE // len(true))
    rank_sum = np.concatenate([
        _rank_sums(true, scores, occurs[i : i + at_once]) for i in range(0, len(occurs), at_once)])
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


def rmse(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the root of the mean squared difference, in the units of the target."""
    return float(np.sqrt(np.mean((true - predicted) ** 2)))


def mae(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean absolute difference, in the units of the target."""
    return float(np.mean(np.abs(true - predicted)))


def r2(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of the variance of `true` that the prediction explains.

    1 is perfect, 0 no better than the mean; NaN where all of `true` is the same.
    """
    variance = np.var(true)
    return float(1 - np.mean((true - predicted) ** 2) / variance) if variance else np.nan


def _rank_sums(true: np.ndarray, scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return per class the sum of its rows' ranks in its column, ties sharing their mean rank."""
    n_rows = len(true)
    columns = np.ascontiguousarray(scores[:, classes].T)
    order = columns.argsort(axis=1)
    ordered = np.take_along_axis(columns, order, axis=1)
    starts_tie = np.ones(columns.shape, bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts_tie[:, 1:])
    first = np.flatnonzero(starts_tie)  # of each group of ties, columns one after the other
    length = np.diff(first, append=columns.size)
    hits = np.add.reduceat((true[order] == classes[:, None]).ravel().astype(float), first)
    rank = first % n_rows + (length + 1) / 2
    return np.bincount(first // n_rows, weights=hits * rank, minlength=len(classes))
