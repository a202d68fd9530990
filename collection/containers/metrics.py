"""The project's metrics, each once, by their definitions and fast: called millions of times.

Classes are integer codes 0 … n_classes − 1, scores have a column per class of the dataset; for
regression, `true` and `predicted` are numbers. The values equal scikit-learn's where both are
defined. What a task can be judged by is among `TASK_METRICS`, each as an error: 0 is perfect.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from collection.project.naming import check_known

EPS = np.finfo(np.float64).eps
AT_ONCE = 2_000_000  # scores ranked at a time, to bound memory
PROBLEMS = ("binary", "multiclass", "regression")
CLASSES = PROBLEMS[:2]


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


def auc(positive: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return how often a positive row is scored above a negative one; equal scores count half.

    Parameters
    ----------
    positive : ndarray of bool, shape (..., n_rows)
        Or one that broadcasts with `scores`.
    scores : ndarray, shape (..., n_rows)
        Only their order matters.

    Returns
    -------
    ndarray of float, shape (...)
        NaN where there are no positive rows, or no negative ones.
    """
    if positive.shape != scores.shape:
        positive, scores = np.broadcast_arrays(positive, scores)
    shape, n_rows = scores.shape[:-1], scores.shape[-1]
    order = scores.argsort(axis=-1)
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


def mae(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean absolute difference, in the units of the target."""
    return float(np.mean(np.abs(true - predicted)))


def r2(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of the variance of `true` that the prediction explains.

    1 is perfect, 0 no better than the mean; NaN where all of `true` is the same.
    """
    variance = np.var(true)
    return float(1 - np.mean((true - predicted) ** 2) / variance) if variance else np.nan


@dataclass(frozen=True)
class TaskMetric:
    """A metric of the container of evaluations, and how it becomes an error.

    Attributes
    ----------
    name : str
        Variable of the container.
    problems : tuple of str
        Those of `PROBLEMS` that it can measure.
    is_error : bool
        Whether it is an error as it stands; else the error is 1 minus its value.
    openml : str, optional
        What OpenML calls it.
    """

    name: str
    problems: tuple[str, ...]
    is_error: bool = True
    openml: str = ""

    def error(self, value):
        """Return the error for a value of the metric, or for an array of them."""
        return value if self.is_error else 1 - value


TASK_METRICS = {m.name: m for m in (
    TaskMetric("error_rate", CLASSES, openml="predictive_accuracy"),
    TaskMetric("f1", CLASSES, is_error=False, openml="f_measure"),
    TaskMetric("auc", CLASSES, is_error=False, openml="area_under_roc_curve"),
    TaskMetric("log_loss", CLASSES),
    TaskMetric("rmse", ("regression",), openml="root_mean_squared_error"),
    TaskMetric("mae", ("regression",), openml="mean_absolute_error"),
    TaskMetric("r2", ("regression",), is_error=False),
)}
# As in TabRepo (Section 3): what a task is judged by that names no metric itself.
DEFAULTS = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse"}


def choose_metrics(words: Iterable[str]) -> dict[str, str]:
    """Return the metric of every kind of problem.

    Parameters
    ----------
    words : iterable of str
        ``METRIC``, for every problem that it can measure, or ``PROBLEM=METRIC``; later words
        count more, and what none names keeps the default: AUC for two classes, log-loss for
        more, root mean squared error for regression.

    Raises
    ------
    UnknownNameError
        For an unknown metric or problem.
    ValueError
        For a metric that cannot measure the problem it is meant for.
    """
    chosen = dict(DEFAULTS)
    for word in words:
        problem, equals, name = word.rpartition("=")
        check_known("metric", [name], TASK_METRICS)
        problems = TASK_METRICS[name].problems
        if equals:
            check_known("kind of problem", [problem], PROBLEMS)
            check_measures(name, problem)
            problems = (problem,)
        chosen |= dict.fromkeys(problems, name)
    return chosen


def check_measures(metric: str, problem: str) -> None:
    """Raise `ValueError` where the metric cannot measure problems of that kind."""
    if problem not in TASK_METRICS[metric].problems:
        fitting = [m.name for m in TASK_METRICS.values() if problem in m.problems]
        raise ValueError(f"the metric {metric!r} does not measure a {problem} problem; "
                         f"these do: {', '.join(fitting)}")
