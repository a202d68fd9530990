"""The project's metrics, each once, by their definitions and fast: called millions of times.

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
    of_class = np.concatenate([
        auc(true == part[:, None], np.ascontiguousarray(scores[:, part].T))
        for part in (occurs[i : i + at_once] for i in range(0, len(occurs), at_once))])
    return float(of_class @ size / size.sum())


def auc(positive: np.ndarray, scores: np.ndarray, order: np.ndarray | None = None) -> np.ndarray:
    """Return how often a positive row is scored above a negative one; equal scores count half.

    Parameters
    ----------
    positive : ndarray of bool, shape (..., n_rows)
        Or one that broadcasts with `scores`.
    scores : ndarray, shape (..., n_rows)
        Only their order matters.
    order : ndarray of int, shape (..., n_rows), optional
        What sorts the scores, where that is known.

    Returns
    -------
    ndarray of float, shape (...)
        NaN where there are no positive rows, or no negative ones.
    """
    if positive.shape != scores.shape:
        positive, scores = np.broadcast_arrays(positive, scores)
    shape, n_rows = scores.shape[:-1], scores.shape[-1]
    order = scores.argsort(axis=-1) if order is None else order
    ordered, hits = _in_order(scores, order), _in_order(positive, order).astype(float)
    ordered = ordered.reshape(-1, n_rows)
    starts_tie = np.ones(ordered.shape, bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts_tie[:, 1:])
    first = np.flatnonzero(starts_tie)  # of each group of ties, one array after the other
    length = np.diff(first, append=ordered.size)
    rank = first % n_rows + (length + 1) / 2  # which ties share
    rank_sum = np.bincount(first // n_rows, weights=np.add.reduceat(hits.ravel(), first) * rank,
                           minlength=len(ordered))
    size = hits.reshape(-1, n_rows).sum(axis=1)
    pairs = size * (n_rows - size)
    above = rank_sum - size * (size + 1) / 2
    return (above / np.where(pairs > 0, pairs, np.nan)).reshape(shape)


def _in_order(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    # The first is twice as fast, and called for every candidate of an ensemble.
    return values.take(order) if values.ndim == 1 else np.take_along_axis(values, order, axis=-1)


def log_loss(true: np.ndarray, probabilities: np.ndarray) -> float:
    """Return the mean of −ln of the probability given to the true class, in nat.

    Probabilities are clipped to [ε, 1 − ε] with double precision's ε and brought to sum 1, so
    that a class that the training set lacks costs 36 nat, not infinity.

    Parameters
    ----------
    true : ndarray of int, shape (n_rows,)
    probabilities : ndarray, shape (n_rows, n_classes), or (n_rows,)
        Of each class; or of class 1 of two.
    """
    if probabilities.ndim == 1:
        probabilities = np.column_stack([1 - probabilities.astype(float), probabilities])
    clipped = clip_probability(probabilities)
    of_true = clipped[np.arange(len(true)), true]
    return float(-np.log(of_true / clipped.sum(axis=1)).mean())


def clip_probability(probabilities: np.ndarray, least: float = EPS) -> np.ndarray:
    """Return probabilities in [`least`, 1 − `least`], in double precision, as log-loss has them."""
    return np.clip(probabilities.astype(float), least, 1 - least)


def rmse(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the root of the mean squared difference, in the units of the target."""
    return float(np.sqrt(np.mean((true - predicted) ** 2)))


def relative_rmse(true: np.ndarray, predicted: np.ndarray, spread: float) -> float:
    """Return the root mean squared error over `spread`, the target's deviation over all rows.

    1 is about the error of predicting the mean; 0 is perfect.
    """
    return rmse(true, predicted) / spread


def mae(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean absolute difference, in the units of the target."""
    return float(np.mean(np.abs(true - predicted)))


def r2(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of the variance of `true` that the prediction explains.

    1 is perfect, 0 no better than the mean; NaN where all of `true` is the same.
    """
    variance = np.var(true)
    return float(1 - np.mean((true - predicted) ** 2) / variance) if variance else np.nan
